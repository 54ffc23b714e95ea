import { describe, expect, it } from "vitest";

import { nameCharsMax } from "../../../src/limits.ts";
import { parseDrainInput } from "../../../workflows/inbox/drain-input.ts";
import { newRunId } from "../../../workflows/sync/sync-input.ts";

const workflow = {
  firstExecutionRunId: "01a1ff03-c777-7b31-b4ef-b0642aa155ac",
  startTime: new Date(123),
};

function problemOf(raw: unknown): string {
  const parsed = parseDrainInput(raw, workflow);
  return "problem" in parsed ? parsed.problem : "";
}

const ownRun = newRunId("accounts", workflow, true);

/** The input that continue-as-new passes on in the middle of a run. */
function continued(runId = ownRun, sync = "accounts"): unknown {
  const mode = { mode: "heavyweight", reason: "r" };
  const run = { run_id: runId, chunk: 3, mode, opened: { runId }, counts: {}, sync };
  const backoffs = { contacts: { until: 7, failures: 1, why: "gone" } };
  return { connection: "forms", continued: { runs: 2, backoffs, run } };
}

describe("parseDrainInput", () => {
  it("takes a connection, and what continue-as-new hands on", () => {
    expect(ownRun).toBe("accounts-19700101-000000123-2aa155ac");
    for (const input of [{ connection: "forms" }, continued()]) {
      expect(parseDrainInput(input, workflow)).toEqual({ input });
    }
  });

  it.each([
    undefined,
    null,
    {},
    "forms",
    { connection: "Forms!" },
    { connection: "forms", sync: "a" },
  ])("refuses %j with an input to paste", (raw) => {
    const [problem = "", example = ""] = problemOf(raw).split("\nTry:\n");
    expect(problem).toMatch(/^the input of this workflow is wrong:\n/);
    expect(parseDrainInput(JSON.parse(example), workflow)).toHaveProperty("input");
  });

  it.each([
    [nameCharsMax - 1, true],
    [nameCharsMax, true],
    [nameCharsMax + 1, false],
  ])("judges a name of %i letters, taken: %j", (length, isTaken) => {
    expect(problemOf({ connection: "a".repeat(length) }) === "").toBe(isTaken);
  });

  it("continues no run but its own", () => {
    const others = [
      "../../../home/victim",
      "accounts-20261121-165000123-ffffffff",
      `${ownRun}/..`,
      ownRun.replace("accounts", "contacts"),
      ownRun.replace("000000123", "0000001234"),
    ];
    for (const runId of others) {
      expect(problemOf(continued(runId))).toContain("only a workflow itself continues its run");
    }
    expect(problemOf(continued(ownRun, "../victim"))).toContain("the name of a sync");
  });

  it("answers 2 MB of input shortly", () => {
    const long = "a".repeat(2_000_000);
    for (const raw of [long, { connection: long }, { connection: "a", [long]: 1 }]) {
      expect(problemOf(raw).length).toBeLessThan(4_000);
      expect(problemOf(raw)).not.toBe("");
    }
  });
});

import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { nameCharsMax } from "../../src/limits.ts";
import { newRunId, parseSyncInput } from "../../workflows/sync/sync-input.ts";
import { accountsYaml, failureOf, Harness } from "../support/project/harness.ts";

const firstExecutionRunId = "01a1ff03-c777-7b31-b4ef-b0642aa155ac";

/** The workflow's answer to an input that somebody typed into the Web UI. */
function problemOf(raw: unknown): string {
  const parsed = parseSyncInput(raw, firstExecutionRunId);
  return "problem" in parsed ? parsed.problem : "";
}

/** What continue-as-new passes on, as an attacker would type it. */
function continued(runId: string, openedRunId = runId): unknown {
  const mode = { mode: "heavyweight", reason: "r" };
  const opened = { runId: openedRunId, hostQueue: "sluice-host-1", settings: {} };
  return { sync: "accounts", continued: { run_id: runId, chunk: 1, mode, opened, counts: {} } };
}

const ownRun = newRunId("accounts", { startTime: new Date(0), firstExecutionRunId });

describe("the input of a workflow as an attack (T3)", () => {
  it.each([
    "../../etc/passwd",
    "/proc/self/environ",
    "a\0b",
    "%2e%2e",
    'x"; drop table t;--',
    "__proto__",
    "accounts\n",
    "аccounts",
  ])("names no sync by %j", (sync) => {
    expect(problemOf({ sync })).toContain("the name of a sync in sluice.yaml");
  });

  it.each([
    [nameCharsMax - 1, true],
    [nameCharsMax, true],
    [nameCharsMax + 1, false],
    [2_000_000, false],
  ])("judges a name of %i letters, taken: %j", (length, isTaken) => {
    expect(problemOf({ sync: "a".repeat(length) }) === "").toBe(isTaken);
  });

  it("gets a short answer to 2 MB of it, which Temporal can keep", () => {
    const long = "a".repeat(2_000_000);
    for (const raw of [long, { sync: long }, { sync: "a", [long]: 1 }, { sync: "a", mode: long }]) {
      expect(problemOf(raw)).toMatch(/^the input of this workflow is wrong/);
      expect(problemOf(raw).length).toBeLessThan(4_000);
    }
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`m${at}`, at]));
    expect(problemOf({ sync: "a", ...many }).length).toBeLessThan(4_000);
  });

  it("changes no prototype", () => {
    const raw: unknown = JSON.parse('{"sync":"a","__proto__":{"polluted":true},"constructor":1}');
    expect(problemOf(raw)).toContain("constructor");
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("continues no run but its own", () => {
    expect(problemOf(continued(ownRun))).toBe("");
    const others = [
      "../../../home/victim",
      "accounts-20261121-165000-ffffffff",
      `accounts/../x-19700101-000000-2aa155ac`,
      ownRun.replace("accounts", "contacts"),
      `${ownRun}/..`,
      "",
    ];
    for (const runId of others) {
      expect(problemOf(continued(runId))).toContain("only a workflow itself continues its run");
    }
    expect(problemOf(continued(ownRun, "../../../home/victim"))).toContain("only a workflow");
  });
});

describe("an activity that is handed another folder as a run (T3)", () => {
  it.each(["../../victim", "..", ".", "", "a/b", "/victim", "a\0b", "%2e%2e", "victim\n"])(
    "neither reads, writes nor removes anything for %j",
    async (runId) => {
      const harness = await Harness.open({ yaml: accountsYaml() });
      const staging = harness.deps.stagingFolder;
      const victim = join(harness.folder, "victim");
      for (const folder of [victim, staging]) {
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, "chunk-1.stage-1.jsonl.gz"), "kept");
      }
      for (const chunk of [undefined, 1]) {
        const drop = harness.perform(harness.activities.dropChunk, {
          runId,
          ...(chunk === undefined ? {} : { chunk }),
        });
        const { type, message, nonRetryable } = await failureOf(drop);
        expect({ type, nonRetryable }).toEqual({ type: "ConfigError", nonRetryable: true });
        expect(message).toBe("a run's id is letters, digits, _ and -");
      }
      expect(await readdir(victim)).toEqual(["chunk-1.stage-1.jsonl.gz"]);
      expect(await readdir(staging)).toEqual(["chunk-1.stage-1.jsonl.gz"]);
    },
  );
});

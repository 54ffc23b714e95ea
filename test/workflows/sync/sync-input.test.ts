import { describe, expect, it } from "vitest";

import { newRunId, parseSyncInput as parse } from "../../../workflows/sync/sync-input.ts";

const firstExecutionRunId = "01a1ff03-c777-7b31-b4ef-b0642aa155ac";

function parseSyncInput(raw: unknown): ReturnType<typeof parse> {
  return parse(raw, firstExecutionRunId);
}

/** The problem of a wrong input, and the example object at its end. */
function refused(raw: unknown): { readonly problem: string; readonly example: unknown } {
  const parsed = parseSyncInput(raw);
  if (!("problem" in parsed)) throw new Error("nothing was refused");
  const [problem = "", example = ""] = parsed.problem.split("\nTry:\n");
  return { problem, example: JSON.parse(example) };
}

describe("parseSyncInput", () => {
  it.each([[{ sync: "accounts" }], [{ sync: "a", mode: "lightweight", full: true, limit: 1 }]])(
    "takes %o as it is",
    (input) => {
      expect(parseSyncInput(input)).toEqual({ input });
    },
  );

  it.each([[undefined], [null], [{}], [[]], ["accounts"], [7]])(
    "asks for a sync where there is %o",
    (raw) => {
      const { example } = refused(raw);
      expect(example).toEqual({ sync: "accounts" });
      expect(parseSyncInput(example)).toHaveProperty("input");
    },
  );

  it.each([
    ["sync", { sync: "Not A Name" }, { sync: "accounts" }],
    ["mode", { sync: "mine", mode: "fast" }, { sync: "mine", mode: "auto" }],
    ["full", { sync: "mine", full: "yes" }, { sync: "mine", full: false }],
    ["limit", { sync: "mine", limit: 0 }, { sync: "mine", limit: 1000 }],
    ["limit", { sync: "mine", limit: 1.5 }, { sync: "mine", limit: 1000 }],
    ["dry_run", { sync: "mine", dry_run: true, limit: 5 }, { sync: "mine", limit: 5 }],
  ])("names a wrong %s and gives the whole input corrected: %o", (name, raw, corrected) => {
    const { problem, example } = refused(raw);
    expect(problem).toMatch(/^the input of this workflow is wrong:\n/);
    expect(problem).toContain(name);
    expect(example).toEqual(corrected);
    expect(parseSyncInput(example)).toEqual({ input: corrected });
  });

  it("names every mistake at once", () => {
    const { problem, example } = refused({ sync: 1, mode: 2, limit: 3 });
    expect(problem).toContain("sync");
    expect(problem).toContain("mode");
    expect(example).toEqual({ sync: "accounts", mode: "auto", limit: 3 });
  });

  it("does not offer a person what continue-as-new hands on", () => {
    const { example } = refused({ sync: "mine", continued: { chunk: 2 } });
    expect(example).toEqual({ sync: "mine" });
  });

  it("takes what continue-as-new hands on", () => {
    const runId = newRunId("mine", { startTime: new Date(0), firstExecutionRunId });
    expect(runId).toBe("mine-19700101-000000-2aa155ac");
    const continued = {
      run_id: runId,
      chunk: 3,
      mode: { mode: "heavyweight", reason: "r" },
      opened: { runId },
      counts: {},
    };
    expect(parseSyncInput({ sync: "mine", continued })).toEqual({
      input: { sync: "mine", continued },
    });
  });

  it("takes a replay of the rejects of a run, with a mode or alone", () => {
    for (const replay of [{ run: "mine-1" }, { run: "mine-1", code: "required" }]) {
      const input = { sync: "mine", mode: "lightweight", replay };
      expect(parseSyncInput(input)).toEqual({ input });
    }
  });

  it.each([{ full: true }, { limit: 5 }])(
    "refuses a replay with %o, which says nothing of rejects",
    (more) => {
      const { problem } = refused({ sync: "mine", replay: { run: "mine-1" }, ...more });
      expect(problem).toContain("goes with `mode` alone");
    },
  );

  it.each([
    [95, true],
    [96, true],
    [97, false],
  ])("judges the id of a run of %i characters, taken: %j", (length, isTaken) => {
    const parsed = parseSyncInput({ sync: "mine", replay: { run: "r".repeat(length) } });
    expect("input" in parsed).toBe(isTaken);
  });
});

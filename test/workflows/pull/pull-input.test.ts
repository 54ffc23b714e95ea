import { describe, expect, it } from "vitest";

import { parsePullInput } from "../../../workflows/pull/pull-input.ts";

const workflow = {
  firstExecutionRunId: "01a1ff03-c777-7b31-b4ef-b0642aa155ac",
  startTime: new Date("2026-03-04T05:06:07.000Z"),
};
const runId = "scores-20260304-050607-2aa155ac";

/** The problem of a wrong input, and the example object at its end. */
function refused(raw: unknown): { readonly problem: string; readonly example: unknown } {
  const parsed = parsePullInput(raw, workflow);
  if (!("problem" in parsed)) throw new Error("nothing was refused");
  const [problem = "", example = ""] = parsed.problem.split("\nTry:\n");
  return { problem, example: JSON.parse(example) };
}

function continuedFrom(run: string, opened = run): object {
  const progress = { read: 1 };
  return { pull: "scores", continued: { run_id: run, opened: { runId: opened }, progress } };
}

describe("parsePullInput", () => {
  it.each([[{ pull: "scores" }], [{ pull: "scores", full: true, limit: 1 }]])(
    "takes %o as it is, and names its run",
    (input) => {
      expect(parsePullInput(input, workflow)).toEqual({ input, runId });
    },
  );

  it.each([[undefined], [null], [{}], [[]], ["scores"], [{ pull: "Not A Name" }]])(
    "asks for a pull where there is %o",
    (raw) => {
      const { example } = refused(raw);
      expect(parsePullInput(example, workflow)).toHaveProperty("input");
    },
  );

  it.each([
    ["limit", { pull: "hiring", limit: 0 }],
    ["full", { pull: "hiring", full: "yes" }],
    ["limits", { pull: "hiring", limits: 3 }],
  ])("says that %s is wrong, and keeps the name in what it offers", (member, input) => {
    const { problem, example } = refused(input);
    expect(problem).toContain(member);
    expect(example).toMatchObject({ pull: "hiring" });
  });

  it("continues with a run that this workflow made itself, and with no other", () => {
    const own = continuedFrom(runId);
    expect(parsePullInput(own, workflow)).toEqual({ input: own, runId });
    for (const other of [
      continuedFrom("scores-20260304-050607-ffffffff"),
      continuedFrom("hiring-20260304-050607-2aa155ac"),
      continuedFrom(runId, "scores-20260304-050607-00000000"),
      continuedFrom("scores/../-2aa155ac"),
    ]) {
      expect(refused(other).problem).toContain("only a workflow itself continues its run");
    }
  });
});

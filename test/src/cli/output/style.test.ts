import { afterEach, expect, it } from "vitest";

import { setColor, styledOutcome, okOrFail } from "../../../../src/cli/output/style.ts";

afterEach(() => setColor("auto"));

const [green, yellow, red] = ["\u001b[32m", "\u001b[33m", "\u001b[31m"];

it("outcomes and verdicts are green, yellow or red where colours are wanted", () => {
  setColor("always");
  expect(styledOutcome("done")).toContain(green);
  expect(styledOutcome("done with rejects")).toContain(yellow);
  expect(styledOutcome("failed", "accounts: failed")).toContain(`${red}accounts: failed`);
  expect(styledOutcome("running")).toBe("running");
  expect([okOrFail(true).includes(green), okOrFail(false).includes(red)]).toEqual([true, true]);
});

it("nothing is coloured where no colours are wanted, nor into a pipe or a file", () => {
  for (const mode of ["never", "auto"] as const) {
    setColor(mode);
    expect([styledOutcome("failed"), okOrFail(false)]).toEqual(["failed", "FAIL"]);
  }
});

import { describe, expect, it } from "vitest";

import { isCaught, judge, type FileRun } from "./verdict.ts";

const named = { file: "a.test.ts", title: "keeps its" };

function runOf(...ends: readonly (readonly [title: string, isGreen: boolean])[]): FileRun {
  const told = ends.map(([title, isGreen]) => ({ title, isGreen, why: "" }));
  return { isHung: false, isFailed: told.some(({ isGreen }) => !isGreen), seconds: 1, ends: told };
}

const green = runOf(["keeps its word", true], ["is another test", false]);
const red = runOf(["keeps its word", false]);
const cutOff: FileRun = { isHung: true, isFailed: true, seconds: 90, ends: [] };

describe("judge", () => {
  it.each([
    ["red", green, red],
    ["hung", green, cutOff],
    ["survived", green, green],
    ["not green without it", red, red],
    ["not green without it", runOf(["is another test", true]), red],
    ["not green without it", cutOff, cutOff],
    ["does not load", green, runOf()],
    ["does not load", runOf(["keeps its a", true], ["keeps its b", true]), red],
  ] as const)("says %s", (verdict, without, withMutant) => {
    expect(judge(named, without, withMutant)).toBe(verdict);
  });
});

describe("isCaught", () => {
  it("takes red and hung, and nothing that says less", () => {
    const others = ["survived", "does not apply", "not green without it", "does not load"] as const;
    expect((["red", "hung", ...others] as const).filter(isCaught)).toEqual(["red", "hung"]);
  });
});

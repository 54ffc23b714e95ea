import { describe, expect, it } from "vitest";

import { faultNames } from "../../src/sandbox/faults/faults.ts";
import type { LedgerEntry } from "../../src/sandbox/ledger.ts";
import { entry } from "../crash/sound-facts.ts";
import { moveKinds } from "./plan.ts";
import { missingFrom, summarise, summaryLine } from "./summary.ts";
import type { SeedResult } from "./verdict.ts";

const put = entry("put", 1, { status: null, bytes: 65_536 });
const confirm = entry("confirm-upload", 2, { applied: true });

function injectedBy(...kills: readonly LedgerEntry[]): SeedResult["injected"] {
  const others = ["stop", "term", "kill-sandbox", "kill-temporal"] as const;
  return [
    ...kills.map((at) => ({ fault: "kill" as const, entry: at, isHeld: true })),
    ...others.map((fault) => ({ fault, entry: put, isHeld: false })),
  ];
}

const all: SeedResult = {
  seed: 1,
  violations: [],
  seconds: 9,
  rows: 5_000,
  lost: 0,
  repeated: 12,
  calls: 40,
  injected: injectedBy(put, confirm),
  faults: faultNames,
  givenUp: "cancel",
  moved: "another-database",
  hadWrongClock: true,
  hadFullDisk: true,
};

/** Ten of each: a seed abandons one run, and makes one move. */
const ofEach = ["cancel", "terminate", "kill", "reset"] as const;
const others = Array.from({ length: 10 * moveKinds.length }, (_, index): SeedResult => {
  const quiet = { ...all, injected: [], faults: [], hadWrongClock: false, hadFullDisk: false };
  const givenUp = index < 10 * ofEach.length ? ofEach[index % ofEach.length] : undefined;
  return { ...quiet, givenUp, moved: moveKinds[index % moveKinds.length] };
});
const each = [all, ...others.slice(1)];

describe("missingFrom", () => {
  it("misses nothing where everything happened", () => {
    expect(missingFrom(summarise(each))).toEqual([]);
  });

  it.each<readonly [string, Partial<SeedResult>]>([
    ["a kill during a PUT", { injected: injectedBy(confirm) }],
    [
      "a kill after an applied confirm",
      { injected: injectedBy(put, { ...confirm, applied: false }) },
    ],
    ["kill-temporal", { injected: all.injected.filter(({ fault }) => fault !== "kill-temporal") }],
    ["clock", { hadWrongClock: false }],
    ["full-disk", { hadFullDisk: false }],
    ["rerun after cancel", { givenUp: undefined }],
    ["another-database", { moved: undefined }],
    ["early-200", { faults: faultNames.filter((name) => name !== "early-200") }],
  ])("misses %s", (name, without) => {
    expect(missingFrom(summarise([{ ...all, ...without }, ...others.slice(1)]))).toEqual([name]);
  });
});

describe("summaryLine", () => {
  it("says what happened, what was lost and repeated, and how many bounds were broken", () => {
    const red = { ...all, seed: 2, lost: 3, violations: ["one", "two"] };
    const line = summaryLine(summarise([all, red]));
    expect(line).toContain("2 seeds, 1 red; 4 kills (2 during a PUT, 2 after an applied confirm)");
    expect(line).toContain("early-200 2");
    expect(line).toContain("10,000 rows, 3 lost, 24 repeated; 2 bounds broken");
  });
});

import { describe, expect, it } from "vitest";

import { clockChanges } from "../../../src/schedules/clock-changes.ts";

const now = new Date("2026-11-21T12:00:00Z");
const changes = (cron: string, timeZone = "Europe/Paris"): readonly object[] =>
  clockChanges({ cron, timeZone }, now);

describe("clockChanges", () => {
  it("names the night that is left out and the one whose time is shown twice", () => {
    expect(changes("30 2 * * *")).toEqual([
      { at: "2027-03-28 02:30", effect: "left_out" },
      { at: "2027-10-31 02:30", effect: "shown_twice" },
    ]);
  });

  it.each([
    ["59 1 * * *", 0],
    ["0 2 * * *", 2],
    ["59 2 * * *", 2],
    ["0 3 * * *", 0],
  ])("finds for %s %i", (cron, count) => {
    expect(changes(cron)).toHaveLength(count);
  });

  it("looks at the days of the schedule", () => {
    expect(changes("30 2 * * 1-5")).toEqual([]);
    expect(changes("30 2 1-28 * SUN")).toHaveLength(2);
  });

  it("reads half an hour as it is, and the other half of the world", () => {
    expect(changes("15 2 * * *", "Australia/Lord_Howe")).toEqual([
      { at: "2027-10-03 02:15", effect: "left_out" },
    ]);
    expect(changes("45 1 * * *", "Australia/Lord_Howe")).toEqual([
      { at: "2027-04-04 01:45", effect: "shown_twice" },
    ]);
  });

  it("has nothing to tell of a zone that keeps its clocks, nor of every hour", () => {
    expect(changes("30 2 * * *", "UTC")).toEqual([]);
    expect(changes("*/15 * * * *")).toEqual([]);
  });
});

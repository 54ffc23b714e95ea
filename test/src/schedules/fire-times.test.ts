import { describe, expect, it } from "vitest";

import { nextTimes } from "../../../src/schedules/fire-times.ts";

const at = (cron: string, after: string, count = 2): readonly string[] =>
  nextTimes({ cron, timeZone: "Europe/Paris" }, { after: new Date(after), count }).map((time) =>
    time.toISOString(),
  );

describe("nextTimes", () => {
  it("leaves out a time that the clocks leave out", () => {
    const days = ["2027-03-27T01:30:00.000Z", "2027-03-29T00:30:00.000Z"];
    expect(at("30 2 * * *", "2027-03-26T12:00:00Z")).toEqual(days);
    expect(at("30 2,14 * * *", "2027-03-27T13:30:00Z", 1)).toEqual(["2027-03-28T12:30:00.000Z"]);
  });

  it("takes a time that clocks show twice once, and as the server does", () => {
    const days = ["2027-10-31T01:30:00.000Z", "2027-11-01T01:30:00.000Z"];
    expect(at("30 2 * * *", "2027-10-30T12:00:00Z")).toEqual(days);
    const newYork = { cron: "30 1 * * *", timeZone: "America/New_York" };
    const after = new Date("2027-11-06T12:00:00Z");
    expect(nextTimes(newYork, { after, count: 2 })).toEqual([
      new Date("2027-11-07T05:30:00Z"),
      new Date("2027-11-08T06:30:00Z"),
    ]);
  });

  it("never answers the time it is asked from", () => {
    const [first] = at("30 2 * * *", "2026-11-21T01:29:59.999Z", 1);
    expect(first).toBe("2026-11-21T01:30:00.000Z");
    expect(at("30 2 * * *", "2026-11-21T01:30:00Z", 1)).toEqual(["2026-11-22T01:30:00.000Z"]);
  });

  it("takes one of two kinds of days for enough", () => {
    const days = ["2026-11-30T23:00:00.000Z", "2026-12-06T23:00:00.000Z"];
    expect(at("0 0 1 * MON", "2026-11-30T12:00:00Z")).toEqual(days);
  });

  const daily = { cron: "30 2 * * *", timeZone: "UTC" };
  const after = new Date("2026-11-18T02:30:00Z");

  it("ends with the last time up to the end", () => {
    const until = new Date("2026-11-20T02:30:00Z");
    const times = nextTimes(daily, { after, until, count: 10 });
    expect(times).toEqual([new Date("2026-11-19T02:30:00Z"), until]);
    const before = new Date(until.getTime() - 1);
    expect(nextTimes(daily, { after, until: before, count: 10 })).toHaveLength(1);
  });

  it.each([
    [9, 9],
    [10, 10],
    [11, 10],
  ])("answers of %i times %i", (days, found) => {
    const until = new Date(after.getTime() + days * 86_400_000);
    expect(nextTimes(daily, { after, until, count: 10 })).toHaveLength(found);
  });
});

import { assert, constantFrom, date, property } from "fast-check";
import { describe, expect, it } from "vitest";

import type { SpanEnd } from "../../../src/backfill/input/span-end.ts";
import { trials } from "../../support/trials.ts";
import { requested } from "./refused.ts";

const paris = "Europe/Paris";
const newYork = "America/New_York";
const kolkata = "Asia/Kolkata";
const winter = "2026-11-22T13:30:15.120Z";

type At = { readonly zone?: string; readonly now?: string };

function ends(
  given: object,
  { zone = paris, now = winter }: At = {},
): readonly (SpanEnd | undefined)[] {
  const by = { syncs: new Map([["accounts", { timeZone: zone }]]), now: new Date(now) };
  const request = requested({ sync: "accounts", ...given }, by);
  return [request.from, request.to];
}

function from(value: unknown, at?: At): SpanEnd | undefined {
  return ends({ from: value }, at)[0];
}

function time(iso: string, text: string): SpanEnd {
  return { time: new Date(iso), text };
}

describe("a date or time of a backfill", () => {
  it.each([
    ["2026-10-01", paris, time("2026-09-30T22:00:00Z", "2026-10-01 00:00 Europe/Paris")],
    ["2026/10/01", paris, time("2026-09-30T22:00:00Z", "2026-10-01 00:00 Europe/Paris")],
    ["2026-1-5", paris, time("2026-01-04T23:00:00Z", "2026-01-05 00:00 Europe/Paris")],
    ["2024-02-29", newYork, time("2024-02-29T05:00:00Z", "2024-02-29 00:00 America/New_York")],
    ["2026-10-01", kolkata, time("2026-09-30T18:30:00Z", "2026-10-01 00:00 Asia/Kolkata")],
    ["2026-10-01 14:30", paris, time("2026-10-01T12:30:00Z", "2026-10-01 14:30 Europe/Paris")],
    [" 2026-10-01t14:30\n", paris, time("2026-10-01T12:30:00Z", "2026-10-01 14:30 Europe/Paris")],
    [
      "2026-10-01T14:30:15",
      newYork,
      time("2026-10-01T18:30:15Z", "2026-10-01 14:30:15 America/New_York"),
    ],
    [
      "2026-10-01T14:30:00.1239",
      paris,
      time("2026-10-01T12:30:00.123Z", "2026-10-01 14:30:00.123 Europe/Paris"),
    ],
    ["2026-10-01T14:30Z", paris, time("2026-10-01T14:30:00Z", "2026-10-01 16:30 Europe/Paris")],
    [
      "2026-10-01T14:30:00-05:30",
      kolkata,
      time("2026-10-01T20:00:00Z", "2026-10-02 01:30 Asia/Kolkata"),
    ],
    [
      "2026-10-01 14:30:00+02",
      newYork,
      time("2026-10-01T12:30:00Z", "2026-10-01 08:30 America/New_York"),
    ],
    ["2026-10-01 14:30 UTC", paris, time("2026-10-01T14:30:00Z", "2026-10-01 14:30 UTC")],
    [
      "2026-10-01 00:00 Asia/Kolkata",
      paris,
      time("2026-09-30T18:30:00Z", "2026-10-01 00:00 Asia/Kolkata"),
    ],
  ])("reads %j in %s", (value, zone, end) => {
    expect(from(value, { zone })).toEqual(end);
  });

  it.each([
    ["2026-03-29 01:59", "2026-03-29T00:59:00Z", "2026-03-29 01:59 Europe/Paris"],
    [
      "2026-03-29 02:00",
      "2026-03-29T01:00:00Z",
      "2026-03-29 03:00 Europe/Paris (clocks go forward and leave 2026-03-29 02:00 out)",
    ],
    [
      "2026-03-29 02:59:59",
      "2026-03-29T01:00:00Z",
      "2026-03-29 03:00 Europe/Paris (clocks go forward and leave 2026-03-29 02:59:59 out)",
    ],
    ["2026-03-29 03:00", "2026-03-29T01:00:00Z", "2026-03-29 03:00 Europe/Paris"],
    ["2026-10-25 01:59", "2026-10-24T23:59:00Z", "2026-10-25 01:59 Europe/Paris"],
    [
      "2026-10-25 02:00",
      "2026-10-25T00:00:00Z",
      "2026-10-25 02:00 +02:00 Europe/Paris (the earlier of two: clocks go back)",
    ],
    [
      "2026-10-25 02:59",
      "2026-10-25T00:59:00Z",
      "2026-10-25 02:59 +02:00 Europe/Paris (the earlier of two: clocks go back)",
    ],
    ["2026-10-25 03:00", "2026-10-25T02:00:00Z", "2026-10-25 03:00 Europe/Paris"],
    ["2026-10-25 02:30+01:00", "2026-10-25T01:30:00Z", "2026-10-25 02:30 +01:00 Europe/Paris"],
    [
      "2026-10-25 02:30 +01:00 Europe/Paris",
      "2026-10-25T01:30:00Z",
      "2026-10-25 02:30 +01:00 Europe/Paris",
    ],
  ])("reads %j where the clocks of Paris change", (value, iso, text) => {
    expect(from(value)).toEqual(time(iso, text));
  });

  it.each([
    [
      "2026-03-08 02:30",
      newYork,
      time(
        "2026-03-08T07:00:00Z",
        "2026-03-08 03:00 America/New_York (clocks go forward and leave 2026-03-08 02:30 out)",
      ),
    ],
    [
      "2026-11-01 01:30",
      newYork,
      time(
        "2026-11-01T05:30:00Z",
        "2026-11-01 01:30 -04:00 America/New_York (the earlier of two: clocks go back)",
      ),
    ],
    [
      "2026-04-05 01:45",
      "Australia/Lord_Howe",
      time(
        "2026-04-04T14:45:00Z",
        "2026-04-05 01:45 +11:00 Australia/Lord_Howe (the earlier of two: clocks go back)",
      ),
    ],
    // Midnight itself is left out, and a whole day.
    [
      "2018-11-04",
      "America/Sao_Paulo",
      time(
        "2018-11-04T03:00:00Z",
        "2018-11-04 01:00 America/Sao_Paulo (clocks go forward and leave 2018-11-04 00:00 out)",
      ),
    ],
    [
      "2011-12-30",
      "Pacific/Apia",
      time(
        "2011-12-30T10:00:00Z",
        "2011-12-31 00:00 Pacific/Apia (clocks go forward and leave 2011-12-30 00:00 out)",
      ),
    ],
  ])("reads %j in %s, whose clocks change there", (value, zone, end) => {
    expect(from(value, { zone })).toEqual(end);
  });

  it.each([
    ["today", paris, time("2026-11-21T23:00:00Z", "2026-11-22 00:00 Europe/Paris")],
    ["Yesterday", paris, time("2026-11-20T23:00:00Z", "2026-11-21 00:00 Europe/Paris")],
    ["today", kolkata, time("2026-11-21T18:30:00Z", "2026-11-22 00:00 Asia/Kolkata")],
    [
      "last 6 hours",
      newYork,
      time("2026-11-22T07:30:15.120Z", "2026-11-22 02:30:15.120 America/New_York"),
    ],
    [
      "last 90 minutes",
      paris,
      time("2026-11-22T12:00:15.120Z", "2026-11-22 13:00:15.120 Europe/Paris"),
    ],
    ["last 1 day", paris, time("2026-11-20T23:00:00Z", "2026-11-21 00:00 Europe/Paris")],
    ["past 2 weeks", paris, time("2026-11-07T23:00:00Z", "2026-11-08 00:00 Europe/Paris")],
    // Across the clock changes of 25 October in Paris and 1 November in New York.
    ["last 30 days", paris, time("2026-10-22T22:00:00Z", "2026-10-23 00:00 Europe/Paris")],
    ["last 30 days", newYork, time("2026-10-23T04:00:00Z", "2026-10-23 00:00 America/New_York")],
    ["LAST  30  DAYS", kolkata, time("2026-10-22T18:30:00Z", "2026-10-23 00:00 Asia/Kolkata")],
  ])("reads %j in %s", (value, zone, end) => {
    expect(from(value, { zone })).toEqual(end);
  });

  it("counts days by the zone's calendar, not by UTC's", () => {
    const now = "2026-11-22T02:00:00Z";
    expect(from("today", { zone: newYork, now })).toEqual(
      time("2026-11-21T05:00:00Z", "2026-11-21 00:00 America/New_York"),
    );
    expect(from("yesterday", { zone: newYork, now })).toEqual(
      time("2026-11-20T05:00:00Z", "2026-11-20 00:00 America/New_York"),
    );
  });

  it("counts days over the night in which clocks go forward", () => {
    const at = { now: "2026-04-10T10:00:00Z" };
    expect(from("last 30 days", at)).toEqual(
      time("2026-03-10T23:00:00Z", "2026-03-11 00:00 Europe/Paris"),
    );
  });

  it("says that the end is not part of the span", () => {
    expect(ends({ from: "2026-09-01", to: "2026-10-01" })[1]).toEqual(
      time("2026-09-30T22:00:00Z", "before 2026-10-01 00:00 Europe/Paris"),
    );
    expect(ends({ to: "now" })[1]).toEqual(
      time(winter, "before 2026-11-22 14:30:15.120 Europe/Paris"),
    );
    expect(ends({ to: "line 9" })[1]).toEqual({ place: "line 9", text: "before line 9" });
  });

  it("takes an end that is in the future, and a beginning just before now", () => {
    expect(ends({ to: "2027-01-01" })[1]).toHaveProperty("time");
    expect(from("2026-11-22T13:30:15.119Z")).toHaveProperty("time");
    expect(() => from("2026-11-22T13:30:15.120Z")).toThrow("must be earlier than now");
  });

  it("takes ends one millisecond apart, and none at the same time", () => {
    const start = "2026-10-01T00:00:00.000Z";
    expect(ends({ from: start, to: "2026-10-01T00:00:00.001Z" })).toHaveLength(2);
    expect(() => ends({ from: start, to: start })).toThrow("must be later than from");
  });

  it("reads what it said itself as the same time", () => {
    const zones = constantFrom(paris, newYork, kolkata, "Australia/Lord_Howe", "America/Sao_Paulo");
    const times = date({
      min: new Date("1980-01-01T00:00:00Z"),
      max: new Date("2026-11-01T00:00:00Z"),
      noInvalidDate: true,
    });
    const same = property(times, zones, (when, zone) => {
      const read = from(when.toISOString(), { zone });
      expect(read).toHaveProperty("time", when);
      expect(from(read?.text, { zone: "UTC" })).toHaveProperty("time", when);
    });
    assert(same, { numRuns: trials(150) });
  });
});

describe("a place of a backfill", () => {
  it.each([
    ["line 48211", "line 48211"],
    ["LINE  048211", "line 48211"],
    ["byte 100000", "byte 100000"],
    ["accounts.csv:120", "accounts.csv:120"],
    ["./exports/accounts-1.csv:120", "./exports/accounts-1.csv:120"],
    ["my accounts.csv:120", "my accounts.csv:120"],
    ["2026-10-01.csv:120", "2026-10-01.csv:120"],
    ["48211", "48211"],
    [48211, "48211"],
    [-1.5, "-1.5"],
    ["12345678901234567", "12345678901234567"],
    [`${"a".repeat(98)}:1`, `${"a".repeat(98)}:1`],
  ])("reads %j as %j", (value, place) => {
    expect(from(value)).toEqual({ place, text: place });
  });

  it.each(["14:30", "accounts.csv", "line", "line five", `${"a".repeat(99)}:1`])(
    "does not take %j for one",
    (value) => {
      expect(() => from(value)).toThrow("→ at from");
    },
  );
});

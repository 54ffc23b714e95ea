import { describe, expect, it } from "vitest";

import { missedRunsNamedMax, missedRunsCountedMax } from "../../../src/schedules/limits.ts";
import { missedRuns, missedWarning, resumedNote } from "../../../src/schedules/missed.ts";

const nightly = { cron: "30 2 * * *", timeZone: "Europe/Paris" };

/** A run that took a minute; `nominalAt` if its schedule started it. */
function begun(
  startedAt: string,
  more: { readonly nominalAt?: string; readonly endedAt?: string } = {},
): Parameters<typeof missedRuns>[1]["run"] {
  const endedAt = new Date(Date.parse(startedAt) + 60_000).toISOString();
  return { runId: `run of ${startedAt}`, startedAt, endedAt, nominalAt: null, ...more };
}

const last = begun("2026-11-18T01:30:12.000Z", { nominalAt: "2026-11-18T01:30:00.000Z" });

function missed(run: ReturnType<typeof begun>, ...others: ReturnType<typeof begun>[]): string[] {
  const { times } = missedRuns(nightly, { run, last, others: [...others, last] });
  return times.map((time) => time.toISOString());
}

describe("missedRuns", () => {
  it("finds the nights between two runs", () => {
    const nights = ["2026-11-19T01:30:00.000Z", "2026-11-20T01:30:00.000Z"];
    expect(missed(begun("2026-11-20T09:00:00.000Z"))).toEqual(nights);
  });

  it("finds nothing where the schedule did what it should", () => {
    const nominalAt = "2026-11-19T01:30:00.000Z";
    expect(missed(begun("2026-11-19T01:30:25.000Z", { nominalAt }))).toEqual([]);
  });

  it("takes a run that began hours late for the one that was wanted", () => {
    const nominalAt = "2026-11-19T01:30:00.000Z";
    expect(missed(begun("2026-11-19T12:00:00.000Z", { nominalAt }))).toEqual([]);
  });

  it("takes one that ended as busy for one that happened", () => {
    const busy = begun("2026-11-19T01:30:09.000Z", { nominalAt: "2026-11-19T01:30:00.000Z" });
    expect(missed(begun("2026-11-19T12:00:00.000Z"), busy)).toEqual([]);
  });

  it.each([
    ["01:34:59", 0],
    ["01:35:00", 1],
    ["01:35:01", 1],
  ])("leaves a time that may still come to the next run: at %s it finds %i", (time, count) => {
    expect(missed(begun(`2026-11-19T${time}.000Z`))).toHaveLength(count);
  });

  it("finds what the run before left to this one", () => {
    const early = begun("2026-11-19T01:32:00.000Z");
    const run = begun("2026-11-19T12:00:00.000Z");
    const found = missedRuns(nightly, { run, last: early, others: [early, last] });
    expect(found.times).toEqual([new Date("2026-11-19T01:30:00.000Z")]);
  });

  it("names the run that was still running", () => {
    const nominalAt = "2026-11-18T01:30:00.000Z";
    const long = begun("2026-11-18T01:30:12.000Z", {
      nominalAt,
      endedAt: "2026-11-19T04:00:00.000Z",
    });
    const run = begun("2026-11-19T12:00:00.000Z");
    expect(missedRuns(nightly, { run, last: long, others: [long] })).toEqual({
      times: [new Date("2026-11-19T01:30:00.000Z")],
      during: long.runId,
    });
  });

  it("blames no run that the schedule did not start: beside that one it starts its own", () => {
    const byHand = begun("2026-11-18T23:00:00.000Z", { endedAt: "2026-11-19T04:00:00.000Z" });
    const run = begun("2026-11-19T12:00:00.000Z");
    const found = missedRuns(nightly, { run, last: byHand, others: [byHand, last] });
    expect(found).toEqual({ times: [new Date("2026-11-19T01:30:00.000Z")], during: undefined });
  });

  it.each(["2027-10-31T00:30:00.000Z", "2027-10-31T01:30:00.000Z"])(
    "wants a time that clocks show twice once: %s is enough",
    (nominalAt) => {
      const before = begun("2027-10-30T12:00:00.000Z");
      const run = begun("2027-10-31T12:00:00.000Z");
      const others = [begun(nominalAt, { nominalAt }), before];
      expect(missedRuns(nightly, { run, last: before, others }).times).toEqual([]);
      const found = missedRuns(nightly, { run, last: before, others: [before] });
      expect(found.times).toHaveLength(1);
    },
  );

  it.each([
    ["2026-11-19T01:29:59.000Z", 2],
    ["2026-11-19T01:30:00.000Z", 1],
    ["2026-11-20T08:00:00.000Z", 0],
  ])("wants nothing of a schedule before it was made so: since %s it finds %i", (since, count) => {
    const byHand = begun("2026-11-18T12:00:00.000Z");
    // A run of a time that the schedule had earlier.
    const other = begun("2026-11-17T02:00:09.000Z", { nominalAt: "2026-11-17T02:00:00.000Z" });
    const run = begun("2026-11-20T09:00:00.000Z");
    const seen = { run, last: byHand, others: [byHand, other], since: new Date(since) };
    expect(missedRuns(nightly, seen).times).toHaveLength(count);
  });

  it("knows by a run that a schedule was there before Temporal was last given it", () => {
    const run = begun("2026-11-20T09:00:00.000Z");
    const since = new Date("2026-11-20T08:00:00.000Z");
    expect(missedRuns(nightly, { run, last, others: [last], since }).times).toHaveLength(2);
  });

  it("wants no time that clocks leave out", () => {
    const before = begun("2027-03-27T12:00:00.000Z");
    const run = begun("2027-03-28T12:00:00.000Z");
    expect(missedRuns(nightly, { run, last: before, others: [before] }).times).toEqual([]);
  });

  it("counts no further than its limit", () => {
    const everyMinute = { cron: "* * * * *", timeZone: "UTC" };
    const run = begun("2026-11-20T09:00:00.000Z");
    const { times } = missedRuns(everyMinute, { run, last, others: [last] });
    expect(times).toHaveLength(missedRunsCountedMax);
  });
});

describe("missedWarning", () => {
  const nights = [new Date("2026-11-19T01:30:00Z"), new Date("2026-11-20T01:30:00Z")];
  const two = { times: nights, during: undefined };
  const since = new Date("2026-11-01T00:00:00Z");
  const on = { kind: "on", note: "", since } as const;
  const paused = { kind: "paused", since } as const;
  const named =
    "2 scheduled runs did not happen: 2026-11-19 02:30, 2026-11-20 02:30 (Europe/Paris)";

  it("says nothing of none", () => {
    expect(missedWarning({ times: [], during: undefined }, nightly, on)).toBeUndefined();
  });

  it("names the times as clocks showed them", () => {
    expect(missedWarning(two, nightly, on)).toBe(named);
    expect(missedWarning(two, nightly, { kind: "unknown" })).toBe(named);
    const one = { times: nights.slice(0, 1), during: undefined };
    expect(missedWarning(one, nightly, on)).toBe(
      "1 scheduled run did not happen: 2026-11-19 02:30 (Europe/Paris)",
    );
  });

  it("says why, where that is known", () => {
    expect(missedWarning({ ...two, during: "accounts-1" }, nightly, on)).toBe(
      `${named}; run accounts-1 was still running`,
    );
    expect(missedWarning(two, nightly, { ...paused, note: "since Monday:\nmigration" })).toBe(
      `${named}; its schedule is paused: since Monday: migration`,
    );
    expect(missedWarning(two, nightly, { ...paused, note: undefined })).toBe(
      `${named}; its schedule is paused`,
    );
    expect(missedWarning(two, nightly, { kind: "none" })).toContain("`sluice schedule apply`");
  });

  it("tells of a pause that has ended, unless it ended before", () => {
    const after = resumedNote(new Date("2026-11-20T09:00:00Z"), "since Monday: migration");
    expect(missedWarning(two, nightly, { ...on, note: after })).toBe(
      `${named}; its schedule was resumed 2026-11-20T09:00Z; paused since Monday: migration`,
    );
    const before = resumedNote(new Date("2026-11-18T09:00:00Z"), "since Monday: migration");
    expect(missedWarning(two, nightly, { ...on, note: before })).toBe(named);
  });

  it.each([
    [missedRunsNamedMax - 1, ""],
    [missedRunsNamedMax, ""],
    [missedRunsNamedMax + 1, ", and 1 more"],
  ])("names of %i times the first ten%s", (count, rest) => {
    const times = Array.from({ length: count }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)));
    const warning = missedWarning({ times, during: undefined }, nightly, on) ?? "";
    expect(warning.match(/\d{4}-\d\d-\d\d \d\d:\d\d/g)).toHaveLength(
      Math.min(count, missedRunsNamedMax),
    );
    expect(warning).toMatch(new RegExp(`\\d${rest} \\(Europe/Paris\\)$`));
  });

  it("counts at least so many at its limit", () => {
    const times = Array.from({ length: missedRunsCountedMax }, (_, day) => new Date(day));
    const warning = missedWarning({ times, during: undefined }, nightly, on);
    expect(warning).toMatch(/^at least 1000 scheduled runs/);
  });
});

import { DAYS_OF_WEEK, MONTHS, type CalendarSpec } from "@temporalio/client";
import { Cron } from "croner";
import { assert, constantFrom, integer, oneof, property, tuple, uniqueArray } from "fast-check";
import type { Arbitrary } from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { calendarsOf } from "../../../src/schedules/calendars.ts";
import { trials } from "../../support/trials.ts";

const ranges = z
  .array(z.object({ start: z.unknown(), end: z.unknown(), step: z.number() }))
  .optional();

/** Whether a calendar's field includes a value, as Temporal documents it; `names` represent numbers from `from` on. */
function holds(
  values: unknown,
  value: number,
  { names = [], from = 0 }: { readonly names?: readonly string[]; readonly from?: number } = {},
): boolean {
  const numberOf = (one: unknown): number =>
    typeof one === "number" ? one : names.indexOf(String(one)) + from;
  const given = ranges.parse(values);
  return (given ?? [{ start: value, end: value, step: 1 }]).some(({ start, end, step }) => {
    const [first, last] = [numberOf(start), numberOf(end)];
    return value >= first && value <= last && (value - first) % step === 0;
  });
}

/** Whether Temporal starts a run in this minute (UTC). */
function fires(calendars: readonly CalendarSpec[], time: Date): boolean {
  return calendars.some(
    ({ minute, hour, dayOfMonth, month, dayOfWeek }) =>
      holds(minute, time.getUTCMinutes()) &&
      holds(hour, time.getUTCHours()) &&
      holds(dayOfMonth, time.getUTCDate()) &&
      holds(month, time.getUTCMonth() + 1, { names: MONTHS, from: 1 }) &&
      holds(dayOfWeek, time.getUTCDay(), { names: DAYS_OF_WEEK }),
  );
}

/** The names of a week in ranges: a range may end with Sunday. */
const week = ["mon", "TUE", "wed", "thu", "fri", "SAT", "Sun"];

const namedWeek = tuple(integer({ min: 0, max: 6 }), integer({ min: 0, max: 6 })).map(
  ([one, other]) => [week[Math.min(one, other)], week[Math.max(one, other)]].join("-"),
);

/** One field of a cron: `*`, a step, or a list of values and ranges, with or without a step. */
function field(min: number, max: number, names: readonly string[] = []): Arbitrary<string> {
  const value = integer({ min, max });
  const step = integer({ min: 1, max: max - min });
  const range = tuple(value, value, step).map(([one, other, every]) => {
    const span = `${Math.min(one, other)}-${Math.max(one, other)}`;
    return every === 1 ? span : `${span}/${every}`;
  });
  const named = names.length === 0 ? value.map(String) : constantFrom(...names);
  const list = uniqueArray(oneof(value.map(String), named, range), { minLength: 1, maxLength: 3 });
  return oneof(
    { weight: 3, arbitrary: constantFrom("*") },
    { weight: 1, arbitrary: step.map((every) => `*/${every}`) },
    { weight: 3, arbitrary: list.map((items) => items.join(",")) },
  );
}

const anyCron = tuple(
  field(0, 59),
  field(0, 23),
  field(1, 31),
  field(1, 12, ["JAN", "dec"]),
  oneof(
    { weight: 3, arbitrary: field(0, 7, ["SUN", "mon", "SAT"]) },
    { weight: 1, arbitrary: namedWeek },
  ),
).map((fields) => fields.join(" "));

function days(text: string): unknown {
  return calendarsOf(`0 6 * * ${text}`)[0]?.dayOfWeek;
}

describe("calendarsOf", () => {
  it("holds the times of its cron, and no others", () => {
    const someMinute = integer({ min: 0, max: 4 * 366 * 1_440 }).map(
      (minute) => new Date(Date.UTC(2026, 0, 1) + minute * 60_000),
    );
    assert(
      property(anyCron, someMinute, (text, time) => {
        const cron = new Cron(text, { mode: "5-part", timezone: "UTC" });
        const calendars = calendarsOf(text);
        expect(fires(calendars, time)).toBe(cron.match(time));
        const [next = time] = cron.nextRuns(1, time);
        expect(fires(calendars, next)).toBe(cron.match(next));
      }),
      { numRuns: trials(500) },
    );
  });

  it("has a range of days end with Sunday where it names it, as in mon-sun", () => {
    const sunday = { start: "SUNDAY", end: "SUNDAY", step: 1 };
    expect(days("mon-sun")).toEqual([{ start: "MONDAY", end: "SATURDAY", step: 1 }, sunday]);
    expect(days("SAT-SUN")).toEqual([{ start: "SATURDAY", end: "SATURDAY", step: 1 }, sunday]);
    expect(days("sun")).toEqual([sunday]);
  });

  it("needs two calendars where either kind of day is enough", () => {
    expect(calendarsOf("0 0 1 * MON")).toHaveLength(2);
    expect(calendarsOf("0 0 1 * *")).toHaveLength(1);
    expect(calendarsOf("0 0 * * MON")).toHaveLength(1);
  });

  it("says in each which cron it is of", () => {
    const comments = calendarsOf("0 0 1 * MON").map(({ comment }) => comment);
    expect(comments).toEqual(["0 0 1 * MON", "0 0 1 * MON"]);
  });
});

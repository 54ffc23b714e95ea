import { DAYS_OF_WEEK, MONTHS, type CalendarSpec } from "@temporalio/client";

/** From `start` to `end`, both inclusive, every `step`. */
type Range = { readonly start: number; readonly end: number; readonly step: number };

/** Values of a field and the names that stand for some of them, the first for `min`. */
type Field = {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
};

const shortNames = (names: readonly string[]): string[] => names.map((name) => name.slice(0, 3));

const minutes: Field = { min: 0, max: 59 };
const hours: Field = { min: 0, max: 23 };
const daysOfMonth: Field = { min: 1, max: 31 };
const months: Field = { min: 1, max: 12, names: shortNames(MONTHS) };
/** 7 is also Sunday. */
const daysOfWeek: Field = { min: 0, max: 6, names: shortNames(DAYS_OF_WEEK) };

function valueOf(text: string, { min, names = [] }: Field): number {
  const index = names.indexOf(text.toUpperCase());
  return index < 0 ? Number(text) : index + min;
}

/** The end of a range: MON-SUN reaches Sunday. Temporal reads a range that ends before it begins as its first day. */
function endOf(text: string, field: Field): number {
  const value = valueOf(text, field);
  return field === daysOfWeek && text.toUpperCase() === "SUN" ? 7 : value;
}

function rangesOf(text: string, field: Field): readonly Range[] {
  return text.split(",").map((item): Range => {
    const [span = "", step = "1"] = item.split("/");
    if (span === "*") return { start: field.min, end: field.max, step: Number(step) };
    const [first = "", last] = span.split("-");
    const start = valueOf(first, field);
    return { start, end: last === undefined ? start : endOf(last, field), step: Number(step) };
  });
}

/** Temporal's week ends with 6, so a range that reaches 7 includes Sunday by a range of its own. */
function withSunday({ start, end, step }: Range): readonly Range[] {
  if (end < 7) return [{ start, end, step }];
  const sunday = (7 - start) % step === 0 ? [{ start: 0, end: 0, step: 1 }] : [];
  return start === 7 ? sunday : [{ start, end: 6, step }, ...sunday];
}

type NamedRange<Name> = { readonly start: Name; readonly end: Name; readonly step: number };

/** Names the ends of a range; `from` is the number of the first name. */
function named<Name extends string>(
  names: readonly [Name, ...Name[]],
  from: number,
): (range: Range) => NamedRange<Name> {
  const nameOf = (value: number): Name => names[value - from] ?? names[0];
  return ({ start, end, step }) => ({ start: nameOf(start), end: nameOf(end), step });
}

/**
 * A checked cron as Temporal's calendars, each with the cron as its comment. In a calendar every field must match; in
 * a cron that names days both of the month and of the week, either is enough, so it makes two calendars.
 */
export function calendarsOf(cron: string): readonly CalendarSpec[] {
  const [minute = "*", hour = "*", dayOfMonth = "*", month = "*", dayOfWeek = "*"] =
    cron.split(" ");
  const time = {
    comment: cron,
    minute: [...rangesOf(minute, minutes)],
    hour: [...rangesOf(hour, hours)],
    ...(month === "*" ? {} : { month: rangesOf(month, months).map(named(MONTHS, 1)) }),
  };
  const ofMonth = { dayOfMonth: [...rangesOf(dayOfMonth, daysOfMonth)] };
  const weekdays = rangesOf(dayOfWeek, daysOfWeek).flatMap(withSunday);
  const ofWeek = { dayOfWeek: weekdays.map(named(DAYS_OF_WEEK, 0)) };
  if (dayOfWeek === "*") return [{ ...time, ...(dayOfMonth === "*" ? {} : ofMonth) }];
  if (dayOfMonth === "*") return [{ ...time, ...ofWeek }];
  return [
    { ...time, ...ofMonth },
    { ...time, ...ofWeek },
  ];
}

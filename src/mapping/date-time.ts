import { CoercionRefusal } from "./refusal.ts";

const notDate = new CoercionRefusal("not_date", "is not a date written YYYY-MM-DD");
const notDateTime = new CoercionRefusal("not_datetime", "is not a date with time in ISO 8601");
const zoneless = new CoercionRefusal(
  "datetime_without_zone",
  "has no time zone: let the source write Z or an offset such as +02:00 after the time",
);

const date = /^\d{4}-\d{2}-\d{2}$/;
const dateTime =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? ?(?:([Zz])|([+-])(\d{2})(?::?(\d{2}))?)?$/;

/** Times that come back as they are; taking a text apart costs twice as much. */
const canonical = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;

const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** A day of the calendar, written YYYY-MM-DD, and nothing else: the day of a time depends on a zone. */
export function dateOf(value: unknown): string | CoercionRefusal {
  return typeof value === "string" && date.test(value) && isCalendarDay(value) ? value : notDate;
}

/**
 * An instant in RFC 3339 from ISO 8601 (also with a blank for T, a comma, +0200 or +02, without seconds). The
 * offset and up to nine decimals stay; a zero offset is written Z. A leap second is refused, because few
 * readers take it.
 */
export function dateTimeOf(value: unknown): string | CoercionRefusal {
  if (typeof value !== "string") return notDateTime;
  if (canonical.test(value) && isCalendarDay(value)) return value;
  const found = dateTime.exec(value);
  if (found === null) return notDateTime;
  const [, day = "", hour = "", minute = "", second = "00", fraction, utc, sign, ...offset] = found;
  const [offsetHour = "00", offsetMinute = "00"] = offset;
  const isTime = hour <= "23" && minute <= "59" && second <= "59";
  if (!isTime || offsetHour > "23" || offsetMinute > "59" || !isCalendarDay(day)) {
    return notDateTime;
  }
  if (utc === undefined && sign === undefined) return zoneless;
  const decimals = fraction === undefined ? "" : `.${fraction}`;
  const isUtc = sign === undefined || (offsetHour === "00" && offsetMinute === "00");
  const zone = isUtc ? "Z" : `${sign}${offsetHour}:${offsetMinute}`;
  return `${day}T${hour}:${minute}:${second}${decimals}${zone}`;
}

/** Expects a text that begins with YYYY-MM-DD. The year 0000 is refused: it is not valid in both ISO 8601 and SQL. */
function isCalendarDay(text: string): boolean {
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8, 10));
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeapYear ? 29 : (daysOfMonth[month - 1] ?? 0);
  return year > 0 && day > 0 && day <= days;
}

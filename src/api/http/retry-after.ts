/** Header values as undici gives them: a header that came twice is a list. */
export type HeaderValue = string | readonly string[] | undefined;

const monthNames = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const time = "(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d)";

/** The three forms of RFC 9110, 5.6.7: IMF-fixdate, RFC 850, asctime. */
const dateForms = [
  new RegExp(`^[A-Z][a-z]{2}, (?<day>\\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(
    `^[A-Z][a-z]{5,8}, (?<day>\\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\\d{2}) ${time} GMT$`,
  ),
  new RegExp(`^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})$`),
];

/** A hint of 0, or of a time that is past, still leads to a pause. */
export const retryAfterMsMin = 1_000;

/**
 * Reads an HTTP date in any of its three forms, as Unix ms; undefined when it is not one. `now` (Unix ms) decides the
 * century of a two-digit year.
 */
export function parseHttpDate(value: HeaderValue, now: number): number | undefined {
  if (typeof value !== "string") return undefined;
  for (const form of dateForms) {
    const fields = form.exec(value)?.groups;
    if (fields !== undefined) return unixMs(fields, now);
  }
  return undefined;
}

function unixMs(fields: Readonly<Record<string, string>>, now: number): number | undefined {
  const month = monthNames.indexOf(fields.month ?? "");
  const day = Number(fields.day);
  if (month < 0) return undefined;
  const year = fullYear(fields.year ?? "", now);
  const ms = Date.UTC(
    year,
    month,
    day,
    Number(fields.hour),
    Number(fields.minute),
    Number(fields.second),
  );
  // Date.UTC carries the 31st of February over into March.
  return new Date(ms).getUTCDate() === day ? ms : undefined;
}

/** A two-digit year that seems more than 50 years ahead belongs to the century before (RFC 9110, 5.6.7). */
function fullYear(digits: string, now: number): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(digits);
  return year > thisYear + 50 ? year - 100 : year;
}

/**
 * How long an answer asks us to wait, in ms and at least 1,000; undefined when it gives no readable hint. A date is
 * compared with the answer's own Date, so that our clock does not matter; `now` is used where there is none.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, HeaderValue>>,
  now: number,
): number | undefined {
  const hint = headers["retry-after"];
  if (typeof hint !== "string") return undefined;
  // Number() alone would take "1e3", "0x10" and "" for numbers.
  if (/^\d+$/.test(hint)) return Math.max(Number(hint) * 1_000, retryAfterMsMin);
  const until = parseHttpDate(hint, now);
  if (until === undefined) return undefined;
  return Math.max(until - (parseHttpDate(headers.date, now) ?? now), retryAfterMsMin);
}

import { dateOf, dateTimeOf } from "./date-time.ts";
import { domainOf } from "./domain.ts";
import { emailOf } from "./email.ts";
import { parseExactJson } from "./exact-json.ts";
import { exactNumber, isJsonNumber } from "./exact-number.ts";
import { LongNumber, CoercionRefusal } from "./refusal.ts";

/**
 * Converts a value to a type, or refuses it; never throws. It receives neither an empty text nor null nor undefined
 * and, except for `string`, no text with blanks around it.
 */
export type Coercion = (value: unknown) => unknown;

const notText = new CoercionRefusal("not_text", "is not text, and not what can be written as text");
const notInteger = new CoercionRefusal("not_integer", "is not a whole number, digits only");
const notNumber = new CoercionRefusal(
  "not_number",
  "is not a number as JSON writes it, such as -1234.5",
);
const inexact = new CoercionRefusal(
  "inexact_number",
  "has more digits than a JSON number carries for every reader; map it with `as: string`",
);
const notBoolean = new CoercionRefusal(
  "not_boolean",
  "is not one of true, false, yes, no, y, n, t, f, 1, 0",
);

const wholeNumber = /^[+-]?\d+$/;

/** The texts that `as: boolean` accepts, in lower case. */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...["true", "t", "yes", "y", "1"].map((word) => [word, true] as const),
  ...["false", "f", "no", "n", "0"].map((word) => [word, false] as const),
]);

/** The values that `as:` may have. */
export const coercionNames = [
  "string",
  "integer",
  "number",
  "boolean",
  "date",
  "datetime",
  "json",
  "domain",
  "email",
] as const;

/** The coercion to each type. */
export const coercions: Readonly<Record<(typeof coercionNames)[number], Coercion>> = {
  string: stringOf,
  integer: integerOf,
  number: numberOf,
  boolean: booleanOf,
  date: dateOf,
  datetime: dateTimeOf,
  json: jsonOf,
  domain: domainOf,
  email: emailOf,
};

/**
 * Text as it is; numbers and booleans as JSON writes them, unless a number has already lost digits. Also
 * fills templates.
 */
export function stringOf(value: unknown): string | CoercionRefusal {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof CoercionRefusal) return value instanceof LongNumber ? value.text : value;
  if (typeof value !== "number" || !Number.isFinite(value)) return notText;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? inexact : String(value);
}

/**
 * Digits with an optional sign, within ±(2^53 - 1). "1.0" and "1e3" are refused: they are numbers, not whole
 * numbers as written.
 */
function integerOf(value: unknown): number | CoercionRefusal {
  if (typeof value === "string" && !wholeNumber.test(value)) return notInteger;
  const isNumeric =
    typeof value === "string" || typeof value === "number" || typeof value === "bigint";
  // Zero is added because -0 would be written as 0 but compare as another value.
  const number = isNumeric ? Number(value) + 0 : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  return Number.isInteger(number) || Math.abs(number) === Infinity ? inexact : notInteger;
}

/** JSON's own grammar; a decimal must be the one that the double prints as. */
function numberOf(value: unknown): number | CoercionRefusal {
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : notNumber;
  const text = typeof value === "bigint" ? String(value) : value;
  if (typeof text !== "string" || !isJsonNumber(text)) return notNumber;
  return exactNumber(text) ?? inexact;
}

function booleanOf(value: unknown): boolean | CoercionRefusal {
  if (typeof value === "boolean") return value;
  if (value === 1 || value === 0) return value === 1;
  return (typeof value === "string" ? booleans.get(value.toLowerCase()) : undefined) ?? notBoolean;
}

/** Only text is parsed: a value that the source has parsed already is taken as it is. */
function jsonOf(value: unknown): unknown {
  return typeof value === "string" ? parseExactJson(value) : value;
}

import { CoercionRefusal } from "../../../src/mapping/refusal.ts";
import { listJson } from "../list.ts";
import type { ColumnType } from "./types.ts";

/** Turns the server's text of a value into what the mapping reads: text, or a refusal where JSON cannot carry it. */
export type Convert = (text: string) => string | CoercionRefusal;

// A refusal rejects the rows whose mapping reads the column, and no others: an unmapped `valid_to` may well be
// infinite.
const notFinite = new CoercionRefusal(
  "not_number",
  "is not a finite number, and JSON knows no others; a query can read nullif(column, 'NaN')",
);
const noDate = new CoercionRefusal(
  "not_date",
  "is infinite or outside the years 1 to 9999, which RFC 3339 cannot write",
);
const noDateTime = new CoercionRefusal(
  "not_datetime",
  "is infinite or outside the years 1 to 9999, which RFC 3339 cannot write",
);
const bytes = new CoercionRefusal(
  "not_text",
  "is bytes; a query can read them as text: encode(column, 'base64')",
);

const date = /^\d{4}-\d\d-\d\d$/;
const dateTime = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(\+00)?$/;

const convertNumber: Convert = (text) => {
  const last = text.charCodeAt(text.length - 1);
  // NaN, Infinity and -Infinity are the only numbers that end with a letter.
  return last > 57 ? notFinite : text;
};

/** RFC 3339 to the microsecond, in UTC; a time without a zone stays one. */
const convertDateTime: Convert = (text) => {
  const found = dateTime.exec(text);
  if (found === null) return noDateTime;
  const [, day = "", time = "", fraction = "", zone] = found;
  return `${day}T${time}.${fraction.padEnd(6, "0")}${zone === undefined ? "" : "Z"}`;
};

// By the name of the type, which may be `constructor` or `__proto__`.
const conversions: ReadonlyMap<string, Convert> = new Map(
  Object.entries({
    boolean: (text) => (text === "t" ? "true" : "false"),
    real: convertNumber,
    "double precision": convertNumber,
    numeric: convertNumber,
    date: (text) => (date.test(text) ? text : noDate),
    "timestamp without time zone": convertDateTime,
    "timestamp with time zone": convertDateTime,
    bytea: () => bytes,
    // Blanks up to the length of a char(n) are not part of the value.
    bpchar: (text) => text.replace(/ +$/, ""),
  }),
);

/** Types whose text is JSON already, as an item of a list. */
const isJson = new Set([
  "smallint",
  "integer",
  "bigint",
  "real",
  "double precision",
  "numeric",
  "boolean",
  "json",
  "jsonb",
]);

/** How a column's values are converted; undefined leaves them as they are. NULL is null whatever the type. */
export function conversionOf({ type, items }: ColumnType): Convert | undefined {
  if (items === undefined) return conversions.get(type);
  const convert = conversions.get(items.type);
  return (text) =>
    listJson(text, items.delimiter, (item) => {
      const value = convert === undefined ? item : convert(item);
      return value instanceof CoercionRefusal || isJson.has(items.type)
        ? value
        : JSON.stringify(value);
    });
}

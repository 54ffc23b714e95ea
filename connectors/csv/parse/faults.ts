import { ConfigError } from "../../../src/errors.ts";
import { rowBytesMax } from "../../../src/limits.ts";
import type { SourceRejectCode } from "../../../src/records/reject-codes.ts";
import type { Encoding } from "../config.ts";
import type { DecodedText } from "./decode.ts";
import type { Scanner, ScanStep } from "./scan.ts";
import type { Window } from "./window.ts";

/** Why a row is refused. */
export type CsvRowFault = {
  readonly code: SourceRejectCode;
  readonly reason: string;
};

/** The facts by which the scanner's last row is judged. */
export type RowRead = {
  readonly scanner: Scanner;
  readonly text: DecodedText;
  readonly window: Window;
  readonly encoding: Encoding;
  /** The number of fields a row must have. */
  readonly columns: number;
};

/** The fault of the scanner's last row, if it has one; its end is certain. */
export function rowFault(read: RowRead): CsvRowFault | undefined {
  const { scanner, columns } = read;
  if (scanner.hasStrayQuote) {
    const reason =
      "a quote is inside an unquoted field or before the end of a quoted one; inside quotes it must be doubled";
    return { code: "stray_quote", reason };
  }
  if (scanner.hasNul) return { code: "nul_byte", reason: "a field holds a NUL" };
  const invalidAt = read.text.invalidAt();
  if (invalidAt !== -1) {
    const offset = read.window.offsetOf(invalidAt);
    return { code: "invalid_encoding", reason: `byte ${offset} is not ${read.encoding}` };
  }
  if (scanner.fields !== columns) {
    return { code: "ragged_row", reason: `expected ${columns} fields, got ${scanner.fields}` };
  }
  return undefined;
}

/** Why a row is refused that is too long but whose end is certain. */
export const rowTooLong: CsvRowFault = {
  code: "row_too_long",
  reason: `the row is longer than ${rowBytesMax} bytes`,
};

/** The error for a place from which nothing more can be read, because any row found after it might be a guess. */
export function fatal(
  place: string,
  row: Pick<Scanner, "line" | "quoteLine" | "bytesMax">,
  step: Extract<ScanStep, "unclosed" | "doubtful" | "too long">,
): ConfigError {
  const { quoteLine, line, bytesMax } = row;
  if (step === "too long" && quoteLine === 0) {
    return new ConfigError(`${place}:${line}: the row is longer than ${bytesMax} bytes`, {
      field: "path",
      hint: "Check that the file is CSV; leave out columns of that size.",
    });
  }
  const what = step === "too long" ? `${notClosedWithin} ${bytesMax} bytes` : quoteFaults[step];
  return new ConfigError(`${place}:${quoteLine}: ${what}`, {
    field: "quote",
    hint: "Close the quote, double the quotes inside quoted fields, or set quote: false when quotes mean nothing here.",
  });
}

/** The error for a row too long to be held whose end nothing proves: the rows after it might be a guess. */
export function unproven(
  place: string,
  { line, quoteLine }: Pick<Scanner, "line" | "quoteLine">,
): ConfigError {
  const row = { line, quoteLine, bytesMax: rowBytesMax };
  return fatal(place, row, quoteLine === 0 ? "too long" : "doubtful");
}

const notClosedWithin = "a quote opened on this line is not closed within";

const quoteFaults = {
  unclosed: "a quote opened on this line is never closed",
  doubtful:
    "a quote on this line is misplaced or never closed, so where its row ends would be a guess",
} as const;

import type { Column, Discovery, Source } from "../../../connectors/contract/connector.ts";
import { ConfigError } from "../../errors.ts";
import { pageRowsMax } from "../../limits.ts";
import { coercions } from "../../mapping/coerce.ts";
import { CoercionRefusal } from "../../mapping/refusal.ts";
import { shownChoice } from "./answers.ts";
import { looksLikeCount } from "./suggest-sync.ts";

/** The first rows of a source whose cells are text, such as a file. */
export type Sample = {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Where a row is, by its index. @default unknown */
  readonly where?: (index: number) => string;
  /** Whether a row among them is not in the encoding with which the file is read. */
  readonly isMisread: boolean;
};

/** Reads at most a page of rows. */
export async function sampleOf(
  source: Source,
  request: Omit<Parameters<Source["read"]>[0], "pageRowsMax">,
): Promise<Sample> {
  for await (const page of source.read({ ...request, pageRowsMax, limit: pageRowsMax })) {
    const { rows, rejects = [] } = page;
    const isMisread = rejects.some(({ code }) => code === "invalid_encoding");
    return { rows, isMisread, where: (index) => page.where(index) };
  }
  return { rows: [], isMisread: false };
}

/** Names of columns whose digits name something and are never counted with. */
const looksLikeCode = new RegExp(
  "(^|[ _.-])(id|code|key|no|nr|number|zip|post(al)?(_?code)?|phone|tel|fax|mobile|cik|" +
    "naics|sic|siren|siret|vat|tax|iban|duns|isin)$|Id$",
  "i",
);

const truths = /^(true|false|yes|no)$/i;

/** The types to guess from all cells of a column, the strictest first. */
const guesses: readonly (readonly [Column["type"], (cell: string) => boolean])[] = [
  ["boolean", (cell) => truths.test(cell)],
  ["number", (cell) => !(coercions.number(cell) instanceof CoercionRefusal)],
  ["date", (cell) => !(coercions.date(cell) instanceof CoercionRefusal)],
  ["time", (cell) => !(coercions.datetime(cell) instanceof CoercionRefusal)],
];

function cellsOf({ rows }: Sample, column: string): readonly string[] {
  return rows
    .map((row) => row[column])
    .filter((cell) => typeof cell === "string")
    .map((cell) => cell.trim())
    .filter((cell) => cell !== "");
}

function typeOf({ name, type, note }: Column, sample: Sample): Column["type"] {
  const cells = cellsOf(sample, name);
  if (type !== "string" || cells.length === 0) return type;
  // A column with the name of a count is one if most of its cells are whole numbers.
  const whole = cells.filter((cell) => /^\d+$/.test(cell)).length;
  if (looksLikeCount(name)) return whole * 2 > cells.length ? "number" : type;
  // A column that a database calls text is text.
  if (note !== undefined) return type;
  const [guess = type] = guesses.find(([, fits]) => cells.every(fits)) ?? [];
  return guess === "number" && looksLikeCode.test(name.trim()) ? type : guess;
}

/** The same discovery, with its text columns typed by their cells in the sample. */
export function typedBy(sample: Sample, found: Discovery): Discovery {
  const columns = found.columns.map((column): Column => ({
    ...column,
    type: typeOf(column, sample),
  }));
  return { ...found, columns };
}

/** The places of the first value that two rows share, as a part of a sentence. */
function firstRepeat({ rows, where }: Sample, column: string): string {
  const seen = new Map<unknown, number>();
  for (const [index, row] of rows.entries()) {
    const cell = row[column];
    const value = typeof cell === "string" ? cell.trim() : cell;
    const before = seen.get(value);
    if (before !== undefined && value !== "" && where !== undefined) {
      return ` (${where(index)} has the value of ${where(before)}) `;
    }
    seen.set(value, index);
  }
  return " ";
}

/**
 * Checks that a column can name each row that holds anything at all.
 * @throws {ConfigError} its values repeat, or are missing, among the first rows.
 */
export function assertNames(sample: Sample, column: string): void {
  const { length } = sample.rows.filter((row) => Object.values(row).some((cell) => cell !== ""));
  const cells = cellsOf(sample, column);
  const repeated = cells.length - new Set(cells).size;
  if (repeated === 0 && cells.length === length) return;
  const empty = length - cells.length;
  const why = [
    ...(repeated === 0 ? [] : [`repeats${firstRepeat(sample, column)}in ${repeated}`]),
    ...(empty === 0 ? [] : [`is empty in ${empty}`]),
  ].join(" and ");
  throw new ConfigError(
    `the column ${shownChoice(column)} names no row: it ${why} of the first ${length} rows`,
    {
      hint:
        "name a column with a value in every row, and never the same one twice; a record is found again by it; where " +
        "these rows alone are wrong, take them out until sluice.yaml is written: a run rejects them, no others",
    },
  );
}

/**
 * Checks that a column holds what every record of a stream must have.
 * @throws {ConfigError} at most half of its cells in the first rows hold that; empty cells do not count.
 */
export function assertAddresses(sample: Sample, column: string, as: "domain" | "email"): void {
  const cells = cellsOf(sample, column);
  const right = cells.filter((cell) => !(coercions[as](cell) instanceof CoercionRefusal)).length;
  if (sample.rows.length === 0 || right * 2 > cells.length) return;
  const what = as === "domain" ? "a domain" : "an e-mail address";
  const example = as === "domain" ? '{ template: "{column}.example.com" }' : "a template";
  throw new ConfigError(
    `the column ${shownChoice(column)} holds ${what} in ${right} of the first ${sample.rows.length} rows, ` +
      "and every record needs one",
    {
      hint: `name another column; where none holds it, make it of others in sluice.yaml: ${as}: ${example}`,
    },
  );
}

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
  /** Where a row stands, by its index. @default nobody knows */
  readonly where?: (index: number) => string;
  /** Whether a row among them is not in the encoding that the file is read in. */
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

/** Digits that name something and are never counted with. */
const looksLikeCode = new RegExp(
  "(^|[ _.-])(id|code|key|no|nr|number|zip|post(al)?(_?code)?|phone|tel|fax|mobile|cik|" +
    "naics|sic|siren|siret|vat|tax|iban|duns|isin)$|Id$",
  "i",
);

const truths = /^(true|false|yes|no)$/i;

/** What a type may be taken for, by all cells of a column: the strictest first. */
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
  // A column that is called a count is one when most of its cells are.
  const whole = cells.filter((cell) => /^\d+$/.test(cell)).length;
  if (looksLikeCount(name)) return whole * 2 > cells.length ? "number" : type;
  // What a database calls text is text.
  if (note !== undefined) return type;
  const [guess = type] = guesses.find(([, fits]) => cells.every(fits)) ?? [];
  return guess === "number" && looksLikeCode.test(name.trim()) ? type : guess;
}

/** The same with columns of text typed by what the sample holds in them. */
export function typedBy(sample: Sample, found: Discovery): Discovery {
  const columns = found.columns.map((column): Column => ({
    ...column,
    type: typeOf(column, sample),
  }));
  return { ...found, columns };
}

/** The places of the first value that two rows have, as a part of a sentence. */
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
 * Looks whether a column can name a row that holds anything at all.
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
 * Looks whether a column holds what every record of a stream must have.
 * @throws {ConfigError} hardly any of the first rows has it there.
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

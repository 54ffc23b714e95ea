import { matchesGlob, resolve } from "node:path";

import { z } from "zod";

import { columnsMax, pathCharsMax } from "./limits.ts";

const oneAsciiCharacter = /^[\t\u0020-\u007e]$/;

/** The record and unit separators of ASCII. */
const separators: readonly string[] = ["\u001e", "\u001f"];

const delimiter = z
  .string()
  .transform((text) => (text === "tab" || text === "\\t" ? "\t" : text))
  .refine(
    (text) => oneAsciiCharacter.test(text) || separators.includes(text),
    "one ASCII character, or the word tab",
  );

const quote = z.union([
  z.literal(false),
  z.string().refine((text) => oneAsciiCharacter.test(text), "one ASCII character, or false"),
]);

const columns = z
  .array(z.string().min(1))
  .min(1)
  .max(columnsMax)
  .refine((names) => new Set(names).size === names.length, "each column needs a name of its own");

const pathTo = z
  .string()
  .min(1)
  .max(pathCharsMax)
  .refine((text) => !text.includes("\0"), "a path holds no NUL");

/** The members of a CSV connection. */
export const csvConfig = z
  .strictObject({
    path: pathTo.describe(
      "A file, or a pattern such as exports/accounts-*.csv; from the folder of sluice.yaml.",
    ),
    folder: z
      .string()
      .min(1)
      .optional()
      .describe("The folder that a relative path starts from; given by the engine."),
    first_wins: z
      .boolean()
      .optional()
      .describe(
        "Whether the first row of a key is sent and the others are rejected, so that the newest file is read " +
          "first; given by the engine.",
      ),
    delimiter: delimiter
      .optional()
      .describe(
        "The character between two cells, or tab; by default whichever of , ; tab | the first line holds most of.",
      ),
    header: z
      .boolean()
      .optional()
      .describe("Whether the first line names the columns; it does unless columns are given."),
    columns: columns
      .optional()
      .describe("The names of the columns of files without a header line."),
    quote: quote
      .default('"')
      .describe("What a cell is quoted with; false: a quote is a character like any other."),
    encoding: z
      .enum(["utf-8", "utf-16le", "utf-16be", "windows-1252"])
      .default("utf-8")
      .describe("How the text is stored; a byte order mark in the file wins over this."),
    append_only: z
      .boolean()
      .default(false)
      .describe("Files only ever grow: the next run reads what was added since the last one."),
    file: pathTo
      .optional()
      .describe("Where a write-back goes, a path like the one that is read; for write_back alone."),
    insert: z
      .boolean()
      .optional()
      .describe("Whether a write-back may add rows; unless it is false, it may."),
  })
  .refine((config) => config.header !== false || config.columns !== undefined, {
    path: ["header"],
    message: "without a header line, list the names: columns: [id, name]",
  })
  .refine((config) => config.header !== true || config.columns === undefined, {
    path: ["columns"],
    message: "the header line names the columns already: remove columns, or set header: false",
  })
  .refine((config) => config.quote === false || config.quote !== config.delimiter, {
    path: ["quote"],
    message: "quote and delimiter are the same character",
  })
  .refine((config) => !isSource(config), {
    path: ["file"],
    message: "path reads this file, and a write-back never changes a source: name another one",
  });

function isSource(config: {
  readonly path: string;
  readonly file?: string | undefined;
  readonly folder?: string | undefined;
}): boolean {
  if (config.file === undefined) return false;
  const folder = config.folder ?? ".";
  const [file, path] = [resolve(folder, config.file), resolve(folder, config.path)];
  return file === path || matchesGlob(file, path);
}

/** A CSV connection as the connector uses it. */
export type CsvConfig = z.output<typeof csvConfig>;

/** How a file's text is stored. */
export type Encoding = CsvConfig["encoding"];

import { resolve } from "node:path";

import { ConfigError, RetryLater, SourceChangedError } from "../../src/errors.ts";
import { pageRowsMax, rowBytesMax } from "../../src/limits.ts";
import type { JsonValue } from "../../src/records/json-value.ts";
import { defused } from "../../src/text/spreadsheet-cell.ts";
import type { Row, Patch, Written } from "../contract/connector.ts";
import { columnsOfPatches, patchFaultOf, type PatchColumns } from "../contract/patches.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import { columnsOfCsv } from "./check.ts";
import type { CsvConfig } from "./config.ts";
import { columnsMax } from "./limits.ts";
import { readCsv } from "./read.ts";
import { replaceFile, targetAt } from "./replace-file.ts";

/**
 * As `mergeCsv`; someone who edits the file while it is read does not end the run.
 * @throws what that throws, but {RetryLater} in place of {SourceChangedError}.
 */
export async function writeCsv(request: WriteRequest): Promise<readonly Written[]> {
  try {
    return await mergeCsv(request);
  } catch (error) {
    if (!(error instanceof SourceChangedError)) throw error;
    throw new RetryLater(error.message, { cause: error, field: "file" });
  }
}

type WriteRequest = ConnectorRequest<CsvConfig> & { readonly patches: readonly Patch[] };

/**
 * Merges values into the file that `file` names, by key: rows keep their order, new rows go to the end, and new columns
 * after the others. The file is read and written anew as a stream, so memory does not grow with it (I7); when nothing
 * changes it is left alone.
 * @throws {ConfigError} `file` is missing, or the file there does not fit. @throws {RetryLater} the disk fails, or
 * someone else wrote the file meanwhile. @throws {SourceChangedError} it changed while it was read.
 */
async function mergeCsv(request: WriteRequest): Promise<readonly Written[]> {
  const { config, patches, signal } = request;
  if (config.file === undefined) {
    throw new ConfigError("a write-back to CSV needs the file to write", {
      field: "file",
      hint: "Name a file beside the source: file: ./scores.csv.",
    });
  }
  if (patches.length === 0) return [];
  const columns = columnsOfPatches(patches);
  const target = await targetAt(resolve(config.folder ?? ".", config.file), config.file);
  const read = { ...request, config: configOfFile(config, config.file) };
  const present = target.stats === undefined ? undefined : await columnsOfCsv(read);
  const page = new PatchPage({
    patches,
    columns,
    place: target.place,
    present,
    delimiter: delimiterOf(config),
  });
  await replaceFile(target, async (append) => {
    await append(page.heading);
    if (present !== undefined) {
      for await (const { rows, rejects = [] } of readCsv({ ...read, pageRowsMax })) {
        const [bad] = rejects;
        // To leave the row out would lose it.
        if (bad !== undefined) throw notOurs(`${bad.where}: ${bad.reason}`);
        await append(rows.map((row) => page.merge(row)).join(""));
      }
    }
    await append(page.rest(config.insert !== false));
    signal.throwIfAborted();
    return page.isChanged;
  });
  return page.answers();
}

function notOurs(what: string): ConfigError {
  return new ConfigError(`${what}; nothing was written`, {
    field: "file",
    hint: "Fix the file, or remove it: it is made anew.",
  });
}

/** The source's own, unless that is the character we quote with. */
function delimiterOf({ delimiter }: CsvConfig): string {
  return delimiter === undefined || delimiter === '"' ? "," : delimiter;
}

/** How the written file is read again: as we write it, whatever the source is like. */
function configOfFile({ folder, ...config }: CsvConfig, file: string): CsvConfig {
  return {
    folder,
    path: file,
    delimiter: delimiterOf(config),
    quote: '"',
    encoding: "utf-8",
    append_only: false,
  };
}

/** A row to write. */
class Wanted {
  /** The patches that asked for it. */
  readonly ordinals: number[] = [];
  /** The cells of the last of them. */
  cells: Row = {};
  answer: Written | undefined;
}

/** The patches of a page on their way into a file. */
class PatchPage {
  isChanged: boolean;
  readonly #columns: PatchColumns;
  readonly #all: readonly string[];
  readonly #delimiter: string;
  readonly #wanted = new Map<string, Wanted>();
  readonly #answers: Written[] = [];

  constructor(page: {
    readonly patches: readonly Patch[];
    readonly columns: PatchColumns;
    readonly place: string;
    /** The columns of the file as it is; undefined when there is none. */
    readonly present: readonly string[] | undefined;
    readonly delimiter: string;
  }) {
    const { key, set } = page.columns;
    const present = page.present ?? [...key, ...set];
    const missing = key.filter((name) => !present.includes(name));
    if (missing.length > 0) throw notOurs(`${page.place} has no column ${missing.join(", ")}`);
    const added = set.filter((name) => !present.includes(name));
    this.#columns = page.columns;
    this.#all = [...present, ...added];
    if (this.#all.length > columnsMax)
      throw notOurs(`${page.place} would have more than ${columnsMax} columns`);
    this.#delimiter = page.delimiter;
    this.isChanged = page.present !== undefined && added.length > 0;
    for (const [ordinal, patch] of page.patches.entries()) this.#take(ordinal, patch);
  }

  get heading(): string {
    return this.#line(this.#all);
  }

  #take(ordinal: number, patch: Patch): void {
    const rejected = patchFaultOf(patch);
    if (rejected !== undefined) {
      this.#answers[ordinal] = { rejected };
      return;
    }
    const entries = Object.entries({ ...patch.key, ...patch.set });
    const cells = Object.fromEntries(entries.map(([name, value]) => [name, cellOf(value)]));
    const name = this.#nameOf(cells);
    const wanted = this.#wanted.get(name) ?? new Wanted();
    wanted.ordinals.push(ordinal);
    wanted.cells = cells;
    this.#wanted.set(name, wanted);
  }

  #nameOf(row: Row, shown = (cell: string): string => cell): string {
    return JSON.stringify(this.#columns.key.map((name) => shown(cellIn(row, name))));
  }

  /** What is wanted of a row of the file. In one that a person wrote, the key may lack our apostrophe. */
  #wantedOf(row: Row): Wanted | undefined {
    return this.#wanted.get(this.#nameOf(row)) ?? this.#wanted.get(this.#nameOf(row, defused));
  }

  /** The line of a row of the file, with the values of its patch. */
  merge(row: Row): string {
    const wanted = this.#wantedOf(row);
    if (wanted === undefined) return this.#lineOf(row);
    const isSame = this.#columns.set.every(
      (name) => cellIn(row, name) === cellIn(wanted.cells, name),
    );
    // A key may occur twice in a file that a person edited: then one change is enough to count as written.
    if (isSame) {
      wanted.answer ??= { done: "unchanged" };
      return this.#lineOf(row);
    }
    // The key stays as the file has it.
    const values: Row = Object.fromEntries(
      this.#columns.set.map((name): [string, string] => [name, cellIn(wanted.cells, name)]),
    );
    return this.#place(wanted, { ...row, ...values }) ?? this.#lineOf(row);
  }

  /** The lines of the rows that the file does not have. */
  rest(mayInsert: boolean): string {
    let lines = "";
    for (const wanted of this.#wanted.values()) {
      if (wanted.answer !== undefined) continue;
      if (mayInsert) lines += this.#place(wanted, wanted.cells) ?? "";
      else wanted.answer = { done: "missing" };
    }
    return lines;
  }

  /** One answer for each patch, once all rows have passed. */
  answers(): readonly Written[] {
    for (const { ordinals, answer } of this.#wanted.values()) {
      for (const ordinal of ordinals) if (answer !== undefined) this.#answers[ordinal] = answer;
    }
    return this.#answers;
  }

  /** The line of a changed row; undefined when it is too long for a reader. */
  #place(wanted: Wanted, row: Row): string | undefined {
    const line = this.#lineOf(row);
    if (Buffer.byteLength(line) > rowBytesMax) {
      wanted.answer = { rejected: `its row would be longer than ${rowBytesMax} bytes` };
      return undefined;
    }
    wanted.answer = { done: "written" };
    this.isChanged = true;
    return line;
  }

  #lineOf(row: Row): string {
    return this.#line(this.#all.map((name) => cellIn(row, name)));
  }

  #line(cells: readonly string[]): string {
    // A line with nothing on it is not a row.
    if (cells.length === 1 && cells[0] === "") return '""\n';
    return `${cells.map((cell) => this.#quoted(cell)).join(this.#delimiter)}\n`;
  }

  #quoted(cell: string): string {
    const isPlain = !cell.includes(this.#delimiter) && !needsQuotes.test(cell);
    return isPlain ? cell : `"${cell.replaceAll('"', '""')}"`;
  }
}

/** A byte order mark at the start of the file would be taken for the file's own. */
const needsQuotes = /["\r\n\ufeff]/;

/** The cell of a column, empty where the row has no such column of its own: `constructor` is only a name. */
function cellIn(row: Row, name: string): string {
  return Object.hasOwn(row, name) ? String(row[name]) : "";
}

/** A value as a cell. Only text can be a formula: a number below zero stays a number. */
function cellOf(value: JsonValue): string {
  if (value === null) return "";
  if (typeof value === "string") return defused(value);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

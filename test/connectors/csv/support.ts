import { deepStrictEqual } from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parse } from "csv-parse/sync";

import type { Page } from "../../../connectors/contract/connector.ts";
import { csvConfig, type CsvConfig } from "../../../connectors/csv/config.ts";
import { blockBytes } from "../../../connectors/csv/limits.ts";
import type { Layout } from "../../../connectors/csv/parse/header.ts";
import { PageReader, type FilePage } from "../../../connectors/csv/parse/pages.ts";
import type { CsvRow } from "../../../connectors/csv/parse/row.ts";
import type { CsvPosition } from "../../../connectors/csv/position.ts";
import { readCsv } from "../../../connectors/csv/read.ts";
import { messageOf } from "../../../src/errors.ts";

/** A log that keeps its entries. */
export function keptLog(): { lines: string[]; info(text: string): void; warn(text: string): void } {
  const lines: string[] = [];
  const keep = (text: string, facts?: object): void => {
    lines.push(facts === undefined ? text : `${text} ${JSON.stringify(facts)}`);
  };
  return { lines, info: keep, warn: keep };
}

/** Gives a test a folder with the files and removes it afterwards. */
export async function withFolder<Result>(
  files: Readonly<Record<string, string | Uint8Array>>,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "csv-"));
  try {
    for (const [name, content] of Object.entries(files)) {
      await writeFile(join(folder, name), content);
    }
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The configuration of a folder's `a.csv`, or of what `members` set. */
export function configOf(folder: string, members: object = {}): CsvConfig {
  return csvConfig.parse({ path: "a.csv", folder, ...members });
}

/** What a read yielded, in the order of the file. */
export type Yielded = {
  readonly items: readonly string[];
  readonly positions: readonly CsvPosition[];
  /** The number of items up to each position. */
  readonly reach: readonly number[];
};

/** Reads the pages to the end. */
export async function pagesOf(config: CsvConfig): Promise<readonly Page<CsvRow, CsvPosition>[]> {
  const { signal } = new AbortController();
  const pages: Page<CsvRow, CsvPosition>[] = [];
  for await (const page of readCsv({ config, signal, log: keptLog(), pageRowsMax: 100 })) {
    pages.push(page);
  }
  return pages;
}

function itemsOf(page: Page<CsvRow, CsvPosition>): readonly string[] {
  return [
    ...page.rows.map((row, index) => `${page.where(index)} ${JSON.stringify(row)}`),
    ...(page.rejects ?? []).map((reject) => `${reject.where} ${reject.code}`),
  ];
}

/** Reads until the end or an error: the items yielded, and the error as `class: message`. */
export async function readToStop(
  config: CsvConfig,
  from?: CsvPosition,
): Promise<{ readonly items: readonly string[]; readonly error?: string }> {
  const items: string[] = [];
  const { signal } = new AbortController();
  try {
    for await (const page of readCsv({ config, signal, log: keptLog(), pageRowsMax: 100, from })) {
      items.push(...itemsOf(page));
    }
    return { items };
  } catch (error) {
    const name = error instanceof Error ? error.name : "";
    return { items, error: `${name}: ${messageOf(error)}` };
  }
}

/** The items of a file with this content, and how its read ends. */
export async function readContent(
  content: string | Uint8Array,
  members: object = {},
): Promise<{ readonly items: readonly string[]; readonly error?: string }> {
  return await withFolder(
    { "a.csv": content },
    async (folder) => await readToStop(configOf(folder, members)),
  );
}

/** Reads to the end; an item is a row as `place {json}` or a reject as `place code`. */
export async function readAll(
  config: CsvConfig,
  ask: {
    from?: CsvPosition | undefined;
    to?: CsvPosition | undefined;
    pageRowsMax?: number;
    limit?: number;
    log?: ReturnType<typeof keptLog>;
  } = {},
): Promise<Yielded> {
  const items: string[] = [];
  const positions: CsvPosition[] = [];
  const reach: number[] = [];
  const { signal } = new AbortController();
  for await (const page of readCsv({ config, signal, log: keptLog(), pageRowsMax: 100, ...ask })) {
    items.push(...itemsOf(page));
    positions.push(page.position);
    reach.push(items.length);
  }
  return { items, positions, reach };
}

/** The layout of UTF-8 text with the given columns and no header line. */
export function layoutOf(columns: readonly string[], members: Partial<Layout> = {}): Layout {
  const dialect = { delimiter: ",", quote: '"' };
  return { encoding: "utf-8", dialect, columns, offset: 0, line: 1, ...members };
}

/** Yields bytes in pieces of this size, each overwritten before the next: a reader that keeps one would notice. */
export async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const piece = Buffer.alloc(Math.min(size, bytes.length));
  for (let at = 0; at < bytes.length; at += size) {
    const length = Math.min(size, bytes.length - at);
    piece.set(bytes.subarray(at, at + length));
    yield piece.subarray(0, length);
    piece.fill(0x3f);
  }
}

/** The result of scanning bytes: rows as arrays, rejects as `line code`, and the message of the error that ended it. */
export type Scanned = {
  readonly rows: readonly (readonly string[])[];
  readonly lines: readonly number[];
  readonly rejects: readonly string[];
  readonly error?: string;
};

/** Scans bytes that come in pieces of this size. */
export async function scan(
  bytes: Uint8Array,
  pieceBytes: number,
  layout: Layout,
): Promise<Scanned> {
  const start = { offset: layout.offset, line: layout.line };
  const reader = new PageReader({
    place: "f",
    layout,
    start,
    pageRowsMax: 3,
    leavesOpenRow: false,
  });
  const pages: FilePage[] = [];
  let error: string | undefined;
  try {
    for await (const page of reader.pages(inPieces(bytes, pieceBytes))) pages.push(page);
  } catch (caught) {
    error = messageOf(caught);
  }
  return {
    rows: pages.flatMap((page) => page.rows.map((row) => Object.values(row))),
    lines: pages.flatMap((page) => page.lines),
    rejects: pages.flatMap((page) =>
      page.rejects.map((one) => `${one.where.replace("f:", "")} ${one.code}`),
    ),
    ...(error === undefined ? {} : { error }),
  };
}

/**
 * Scans bytes whole and in pieces of 1, 2, 3 and 7, and returns their common result.
 * @throws {Error} the results differ.
 */
export async function scanEachWay(bytes: Uint8Array, layout: Layout): Promise<Scanned> {
  const whole = await scan(bytes, blockBytes, layout);
  for (const size of [1, 2, 3, 7]) {
    deepStrictEqual(await scan(bytes, size, layout), whole, `in pieces of ${size}`);
  }
  return whole;
}

/** The rows of any width that csv-parse, properly configured, reads from a text. */
export function oracle(text: string): readonly (readonly string[])[] {
  return parse(Buffer.from(text), {
    bom: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    skip_empty_lines: true,
    relax_column_count: true,
  });
}

import { SourceChangedError } from "../../src/errors.ts";
import { pageRowsMax } from "../../src/limits.ts";
import type { Got, Reject, Span } from "../contract/connector.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import type { CsvConfig } from "./config.ts";
import { listFiles, type SourceFile } from "./files.ts";
import { changed, filesHash, openFile, type OpenFile } from "./open.ts";
import type { CsvRow } from "./parse/row.ts";
import type { CsvPosition } from "./position.ts";
import { readFile } from "./read.ts";
import { appendMarks, markKey, spansOf, type FileSpan } from "./spans.ts";

type GetRequest = ConnectorRequest<CsvConfig> &
  Span<CsvPosition> & { readonly names: readonly string[] };

/** Rows and rejects that were found, each with the name that `where` gives it. */
type Found = { readonly rows: [name: string, row: CsvRow][]; readonly rejects: Reject[] };

/**
 * Reads the rows that begin on lines, named `path:line`; see `Pull.get`. Lines mean nothing in another file, so every
 * file of a span must be unchanged: the same identity, size, time and beginning; for an append-only file, the same
 * bytes up to where it was read.
 */
export async function getCsv(request: GetRequest): Promise<Got<CsvRow>> {
  const { config } = request;
  const wanted = Map.groupBy(request.names, (name) => fileOf(config, name));
  const files = await listFiles(config);
  const away = config.append_only ? rowsAway(request, files, wanted) : [];
  const { rows, rejects: found } = await find(request, files, wanted).catch((error: unknown) => {
    // What it advises is for a read that continues, and brings no rows of then back.
    throw isSpan(request) && error instanceof SourceChangedError
      ? new SourceChangedError(error.message, { cause: error })
      : error;
  });
  const rejects = [...found, ...away];
  const keyOf = (name: string): string => `${fileOf(config, name)}${lineOf(name)}`;
  const there = new Set(
    [...rows.map(([name]) => name), ...rejects.map(({ where }) => where)].map(keyOf),
  );
  return {
    rows: rows.map(([, row]) => row),
    where: (index) => rows[index]?.[0] ?? "",
    rejects,
    missing: request.names.filter((name) => !there.has(keyOf(name))),
  };
}

/** Finds the wanted rows, listed by the keys of their files. */
async function find(
  request: GetRequest,
  files: readonly SourceFile[],
  wanted: ReadonlyMap<string, readonly string[]>,
): Promise<Found> {
  const { config, from, to } = request;
  const found: Found = { rows: [], rejects: [] };
  let before = hashBefore(from);
  for (const span of spansOf(files, config, { from, to })) {
    await using file = await openFile(span.file, config.append_only);
    if (span.to !== undefined && before !== hashBefore(to)) {
      throw changed(file.place, "follows other files than when it was read");
    }
    const asked = wanted.get(markKey(config, file.place)) ?? [];
    const names = new Map(asked.map((name) => [`${file.place}${lineOf(name)}`, name]));
    if (names.size > 0) await take(file, span, { request, names, found });
    before = config.append_only ? undefined : filesHash(before, file);
  }
  return found;
}

/** In a span, names are those of an earlier read, in which the path may have been written in another way. */
function isSpan({ from, to }: GetRequest): boolean {
  return from !== undefined || to !== undefined;
}

function hashBefore(position: CsvPosition | undefined): string | undefined {
  return position !== undefined && "before" in position ? position.before : undefined;
}

/**
 * The rows that are asked for of files that the span knows, and that are not among the files. A row of a file that was
 * renamed, or that `path` does not match now, is not gone: nobody knows where it is. Those of the other files are read.
 */
function rowsAway(
  { config, to }: GetRequest,
  files: readonly SourceFile[],
  wanted: ReadonlyMap<string, readonly string[]>,
): Reject[] {
  const listed = new Set(files.map(({ place }) => markKey(config, place)));
  return [...(appendMarks(config, to) ?? [])].flatMap(([key, { file }]) => {
    const names = listed.has(key) ? [] : (wanted.get(key) ?? []);
    const reason = `${file} is no longer among the files`;
    return names.map((where) => ({ where, code: "file_away", reason }));
  });
}

/** The line in the name of a row, such as `:78`. */
function lineOf(name: string): string {
  return name.slice(name.lastIndexOf(":"));
}

/** The key of the file in the name of a row: with `./` or without, whichever way the configuration has it. */
function fileOf(config: CsvConfig, name: string): string {
  return markKey(config, name.slice(0, name.lastIndexOf(":")));
}

/** Takes the wanted rows of one file, and reads no further than that. */
async function take(
  file: OpenFile,
  span: FileSpan,
  how: {
    readonly request: GetRequest;
    /** The names that were asked for, by those that the rows have now. */
    readonly names: ReadonlyMap<string, string>;
    readonly found: Found;
  },
): Promise<void> {
  const { request, names, found } = how;
  const read = { ...request, pageRowsMax };
  if (request.config.append_only && span.to !== undefined) await assertSameTail(file, span, read);
  const isOfThen = isSpan(request);
  let left = names.size;
  for await (const { rows, lines, rejects } of readFile(file, span, read)) {
    const before = found.rows.length;
    const taken: number[] = [];
    for (const [index, row] of rows.entries()) {
      const name = `${file.place}:${lines[index]}`;
      const asked = names.get(name);
      if (asked === undefined) continue;
      found.rows.push([isOfThen ? asked : name, row]);
      taken.push(index);
      left -= 1;
    }
    const refused = rejects.filter(({ where }) => names.has(where));
    for (const { rowsBefore: ofPage = 0, where: name, ...reject } of refused) {
      const rowsBefore = before + taken.filter((index) => index < ofPage).length;
      const where = isOfThen ? (names.get(name) ?? name) : name;
      found.rejects.push({ ...reject, where, rowsBefore });
    }
    left -= refused.length;
    if (left <= 0) return;
  }
}

/** Begins a read where the span ends: before its first row, it checks that the file is the same up to there. */
async function assertSameTail(
  file: OpenFile,
  span: FileSpan,
  read: GetRequest & { readonly pageRowsMax: number },
): Promise<void> {
  await readFile(file, { ...span, from: span.to }, read).next();
}

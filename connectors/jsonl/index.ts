import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { resolve } from "node:path";

import { z } from "zod";

import { ConfigError, RetryLater, SourceChangedError } from "../../src/errors.ts";
import { parseJsonRow } from "../../src/mapping/json-row.ts";
import {
  pullSource,
  type Page,
  type ReadRequest,
  type Reject,
  type Row,
} from "../contract/connector.ts";

/** A longer line is a reject, and not held; a page ends after so many bytes. */
const lineBytesMax = 4 * 1024 * 1024;
const wrongPath = { field: "path", hint: "set `path` to a file that this process may read" };

const jsonlConfig = z.strictObject({
  path: z.string().min(1).describe("The file: one JSON object on each line."),
  append_only: z.boolean().default(false).describe("It only grows: runs read what was added."),
  folder: z.string().optional().describe("Where a relative path starts; given by the engine."),
});
/** How many bytes are covered, the line after them, and what recognises the file. */
const jsonlPosition = z.object({
  offset: z.int().positive(),
  line: z.int().positive(),
  mark: z.string(),
});
type Position = z.output<typeof jsonlPosition>;
type ConnectorRequest = ReadRequest<z.output<typeof jsonlConfig>, Position>;
/** A line without its newline, and without its bytes where it is too long. */
type Line = { readonly bytes: Buffer | undefined; readonly end: number };

async function* linesOf(
  file: FileHandle,
  request: ConnectorRequest,
  size: number,
): AsyncGenerator<Line> {
  const end = request.to?.offset ?? size;
  // Of a file that grows, a last line without its newline is still being written.
  const mayBeTorn = request.config.append_only && request.to === undefined;
  for (let at = request.from?.offset ?? 0, isLong = false; at < end;) {
    request.signal.throwIfAborted();
    const bytes = Buffer.alloc(Math.min(lineBytesMax + 1, end - at));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, at);
    if (bytesRead < bytes.length) throw changed(request);
    let start = 0;
    for (let stop = bytes.indexOf("\n"); stop !== -1; stop = bytes.indexOf("\n", start)) {
      yield { bytes: isLong ? undefined : bytes.subarray(start, stop), end: at + stop + 1 };
      isLong = false;
      start = stop + 1;
    }
    const rest = bytes.subarray(start);
    isLong ||= rest.length > lineBytesMax;
    const isLast = at + bytes.length === end;
    if (isLast && rest.length > 0 && !mayBeTorn) yield { bytes: isLong ? undefined : rest, end };
    at += isLast || isLong ? bytes.length : start;
  }
}

/** The page of the lines that end at a position. */
function pageOf(lines: readonly Line[], position: Position, path: string): Page<Row, Position> {
  const found: { readonly row: Row; readonly where: string; readonly text: string }[] = [];
  const rejects: Reject[] = [];
  for (const [index, { bytes }] of lines.entries()) {
    const where = `${path}:${position.line - lines.length + index}`;
    // A byte order mark is trimmed, too.
    const text = bytes?.toString().trim() ?? "";
    const row = parseJsonRow(text);
    const refuse = (code: string, what: string): unknown =>
      rejects.push({ where, code, reason: `the line is ${what}`, row: text });
    if (bytes === undefined) refuse("line_too_long", "longer than 4 MiB");
    else if (!isUtf8(bytes)) refuse("invalid_encoding", "not UTF-8");
    else if (row !== undefined) found.push({ row, where, text });
    else if (text !== "") refuse("not_an_object", "no JSON object");
  }
  const rows = found.map(({ row }) => row);
  const text = (index: number): string => found[index]?.text ?? "";
  return { rows, rejects, position, text, where: (index) => found[index]?.where ?? path };
}

/** What recognises the file: that nobody touched it or, where it may grow, the end of what is covered. */
async function markOf(
  file: FileHandle,
  { config }: ConnectorRequest,
  offset: number,
): Promise<string> {
  const { ino, size, mtimeNs } = await file.stat({ bigint: true });
  if (!config.append_only) return `${ino} ${size} ${mtimeNs}`;
  const bytes = Buffer.alloc(Math.min(offset, 16_384));
  await file.read(bytes, 0, bytes.length, offset - bytes.length);
  return createHash("sha256").update(bytes).digest("base64");
}

function changed({ config }: ConnectorRequest): SourceChangedError {
  const hint =
    "was it replaced on purpose, send what was added to the old one, then `sluice state reset` begins with the new one";
  return new SourceChangedError(`${config.path} is not the file that was read before`, { hint });
}

/** What a failed call on the file means for the run; anything else stays what it is. */
function meaningOf(error: unknown, { config }: ConnectorRequest): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!/^E[A-Z_]+$/.test(code)) return error;
  const isWrong = /^E(?:NOENT|NOTDIR|ISDIR|LOOP|NAMETOOLONG|NXIO|ACCES|PERM|RR_)/.test(code);
  const what = `${config.path} cannot be read: ${code}`;
  return new (isWrong ? ConfigError : RetryLater)(what, { ...wrongPath, cause: error });
}

async function* read(request: ConnectorRequest): AsyncGenerator<Page<Row, Position>> {
  const { config, from, to, pageRowsMax, limit = Infinity } = request;
  try {
    // Without O_NONBLOCK a FIFO would be waited for.
    const path = resolve(config.folder ?? ".", config.path);
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    let at = from ?? { offset: 0, line: 1, mark: await markOf(file, request, 0) };
    const stats = await file.stat();
    if (!stats.isFile()) throw new ConfigError(`${config.path} is not a file`, wrongPath);
    const pageWith = async (lines: readonly Line[]): Promise<Page<Row, Position>> => {
      for (const { offset, mark } of [at, to ?? at]) {
        if (mark !== (await markOf(file, request, offset))) throw changed(request);
      }
      const offset = lines.at(-1)?.end ?? at.offset;
      at = { offset, line: at.line + lines.length, mark: await markOf(file, request, offset) };
      return pageOf(lines, at, config.path);
    };
    // Also without a line that is new it must be the file that was read.
    await pageWith([]);
    let lines: Line[] = [];
    let left = limit;
    for await (const line of linesOf(file, request, stats.size)) {
      lines.push(line);
      if (lines.length < pageRowsMax && line.end - at.offset < lineBytesMax) continue;
      const page = await pageWith(lines);
      yield page;
      left -= page.rows.length + (page.rejects?.length ?? 0);
      if (left <= 0) return;
      lines = [];
    }
    if (lines.length > 0) yield await pageWith(lines);
  } catch (error) {
    throw meaningOf(error, request);
  }
}

/** Reads a file of JSON lines: whole in each run, or what was appended since the last one. */
export const jsonl = pullSource({
  name: "jsonl",
  config: jsonlConfig,
  position: jsonlPosition,
  placesAreLines: true,
  restart: ({ append_only }) => (append_only ? "resume" : "each-run"),
  read,
  async check(request) {
    const name = request.config.path;
    try {
      let ok = true;
      for await (const { rows } of read({ ...request, pageRowsMax: 100, limit: 1 }))
        ok &&= rows.length > 0;
      return [{ name, ok, fix: ok ? undefined : "give a file with one JSON object on each line" }];
    } catch (error) {
      if (!(error instanceof ConfigError || error instanceof RetryLater)) throw error;
      return [{ name, ok: false, detail: error.message, fix: error.hint }];
    }
  },
});

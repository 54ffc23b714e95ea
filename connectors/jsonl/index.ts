import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { resolve } from "node:path";

import { ConfigError, errorCodeOf, RetryLater } from "../../src/errors.ts";
import { pullSource, type Page, type Row } from "../contract/connector.ts";
import {
  otherFile,
  jsonlConfig,
  jsonlPosition,
  type JsonlRequest,
  type Position,
} from "./config.ts";
import { LineGatherer } from "./gather-lines.ts";
import type { LineCells } from "./line-cells.ts";
import { lineBytesMax, linesOf, type JsonlLine } from "./lines.ts";
import { linePage } from "./page.ts";

const wrongPath = { field: "path", hint: "set `path` to a file that this process may read" };

/** The mark of the file: its number, size and time or, where it may grow, a hash of the end of the covered bytes. */
async function markOf(file: FileHandle, { config }: JsonlRequest, offset: number): Promise<string> {
  const { ino, size, mtimeNs } = await file.stat({ bigint: true });
  if (!config.append_only) return `${ino} ${size} ${mtimeNs}`;
  const bytes = Buffer.alloc(Math.min(offset, 16_384));
  await file.read(bytes, 0, bytes.length, offset - bytes.length);
  return createHash("sha256").update(bytes).digest("base64");
}

/** The meaning of a failed call on the file for the run; any other error stays as it is. */
function meaningOf(error: unknown, { config }: JsonlRequest): unknown {
  const code = errorCodeOf(error);
  if (!/^E[A-Z_]+$/.test(code)) return error;
  const isWrong = /^E(?:NOENT|NOTDIR|ISDIR|LOOP|NAMETOOLONG|NXIO|ACCES|PERM|RR_)/.test(code);
  const what = `${config.path} cannot be read: ${code}`;
  return new (isWrong ? ConfigError : RetryLater)(what, { ...wrongPath, cause: error });
}

async function* read(request: JsonlRequest): AsyncGenerator<Page<Row, Position>> {
  const { config, from, to, pageRowsMax, limit = Infinity } = request;
  try {
    // Without O_NONBLOCK, opening a FIFO would wait.
    const path = resolve(config.folder ?? ".", config.path);
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    let at = from ?? { offset: 0, line: 1, mark: await markOf(file, request, 0) };
    const stats = await file.stat();
    if (!stats.isFile()) throw new ConfigError(`${config.path} is not a file`, wrongPath);
    const how = { path: config.path, gatherer: new LineGatherer() };
    const pageWith = async (
      lines: readonly JsonlLine[],
    ): Promise<Page<Row, Position> & { readonly cells: LineCells }> => {
      for (const { offset, mark } of [at, to ?? at]) {
        if (mark !== (await markOf(file, request, offset))) throw otherFile(request);
      }
      const offset = lines.at(-1)?.end ?? at.offset;
      at = { offset, line: at.line + lines.length, mark: await markOf(file, request, offset) };
      return linePage(lines, at, how);
    };
    // Even without a new line, it must be the file that was read.
    await pageWith([]);
    let lines: JsonlLine[] = [];
    let left = limit;
    for await (const some of linesOf(file, request, stats.size)) {
      for (const line of some) {
        lines.push(line);
        if (lines.length < pageRowsMax && line.end - at.offset < lineBytesMax) continue;
        const page = await pageWith(lines);
        yield page;
        left -= page.cells.count + (page.rejects?.length ?? 0);
        if (left <= 0) return;
        lines = [];
      }
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
  // The mark of a file that may not grow is its number, size and time; the other one, a hash, has no blank.
  isOf: ({ config, position }) => config.append_only !== position.mark.includes(" "),
  restart: ({ append_only }) => (append_only ? "resume" : "each-run"),
  // A line without cells becomes an object on its own.
  whyNoCells: async () => await Promise.resolve(undefined),
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

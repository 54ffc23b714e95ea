import { readFile } from "node:fs/promises";

import { z } from "zod";

import { readRequestOf, connectorOf } from "../../connectors/source.ts";
import type { SyncConfig } from "../../src/config/config.ts";
import { SluiceError } from "../../src/errors.ts";
import { chunkName } from "../../src/lane-of.ts";
import { pageRowsMax } from "../../src/limits.ts";
import { loadMapping } from "../../src/mapping/load.ts";
import type { PageStart } from "../../src/pipeline/chunk.ts";
import { hashOf } from "../../src/pipeline/line-hashes.ts";
import { writeLines } from "../../src/pipeline/lines.ts";
import { namedRows } from "../../src/pipeline/named-rows.ts";
import { lineOf, numbered, type RowPage } from "../../src/pipeline/page.ts";
import { rejectMaker } from "../../src/pipeline/rejects.ts";
import { refusedAgain, rejectText } from "../../src/records/reject-codes.ts";
import { keyFieldOf } from "../../src/records/streams.ts";
import { pageStartsFile, stagedFile } from "../../src/staging/folder.ts";
import { stagedLines } from "../../src/staging/staged-lines.ts";
import type { RejectEntry } from "../../src/state/contract/rejects/rejects.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { Receipt } from "../../src/state/contract/sends/receipts.ts";
import type { Dependencies } from "../dependencies.ts";
import { readReplay } from "./replay-pages.ts";

/** A record that the service refused, or fails on: its number in the staged file and the field it named. */
export type Refused = {
  readonly record: number;
  readonly field?: string | undefined;
  readonly code: "refused_by_service" | "too_large" | "service_fails";
};

type Search = {
  readonly sync: SyncConfig;
  readonly run: Run;
  readonly receipt: Receipt;
  /** Where the staging ends. */
  readonly to: unknown;
  readonly refused: readonly Refused[];
  readonly signal: AbortSignal;
};

const pageStartSchema = z.object({
  record: z.int(),
  from: z.unknown(),
  first: z.int().optional(),
  isAgain: z.boolean().optional(),
});

const keyed = z.record(z.string(), z.unknown());

async function readPageStarts(file: string): Promise<PageStart[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line): PageStart => {
    const { record, from, first, isAgain } = pageStartSchema.parse(JSON.parse(line));
    return { record, from, first, isAgain };
  });
}

/** The staged lines of one page, up to its last refused record. */
type StagedPage = {
  /** Undefined where the file of page starts is gone. */
  readonly start: PageStart | undefined;
  readonly refused: readonly Refused[];
  readonly range: readonly [from: number, to: number];
};

function pagesOf(refused: readonly Refused[], starts: readonly PageStart[]): StagedPage[] {
  const inOrder = refused.toSorted((a, b) => a.record - b.record);
  // Without a start each record is its own page, so that no lines between two are kept in memory.
  const pages = Map.groupBy(
    inOrder,
    ({ record }) => starts.findLast((page) => page.record <= record) ?? record,
  );
  return [...pages].map(([key, ofPage]): StagedPage => {
    const start = typeof key === "number" ? undefined : key;
    const from = typeof key === "number" ? key : key.record;
    return { start, refused: ofPage, range: [from, (ofPage.at(-1)?.record ?? from) + 1] };
  });
}

/** Lines of a page by the numbers of their records, in order. */
type Lines = ReadonlyMap<number, Buffer>;

/**
 * The pages of a run's source, or of its list of rejects, beginning with a staged one. They end with the staging: of a
 * file that has grown since, more rows would come before those of the next file.
 */
function pagesFrom(
  deps: Dependencies,
  { sync, run, to, signal }: Search,
  { from }: PageStart,
): AsyncIterable<RowPage> {
  const source = connectorOf(deps, sync.connector);
  const request = readRequestOf(sync, signal);
  if (run.kind === "replay") {
    const what = { runId: run.runId, sync: sync.name, stream: sync.stream, config: request.config };
    return readReplay({ ...what, after: Number(from ?? 0) }, { ...deps, ...request, source });
  }
  if (run.request.keys !== undefined) {
    return namedRows(source, { ...request, names: run.request.keys, after: Number(from ?? 0) });
  }
  const position = source.position.optional();
  const span = { from: position.parse(from ?? undefined), to: position.parse(to ?? undefined) };
  return source.read({ ...request, ...span, pageRowsMax });
}

type Row = { readonly page: RowPage; readonly index: number };

/**
 * The rows that the lines of a page were made from, by the numbers of their records. The page is read and mapped again,
 * because a staged line does not say where it came from. Its lines are in the order of its rows, some of which left
 * none; the key would not do, because two rows may share it.
 */
async function rowsOf(
  deps: Dependencies,
  search: Search,
  at: { readonly start: PageStart; readonly lines: Lines },
): Promise<Map<number, Row>> {
  const { sync, signal } = search;
  const { stream, pii } = sync;
  const mapping = await loadMapping(sync);
  const makeReject = rejectMaker(stream, pii.rejects);
  const rows = new Map<number, Row>();
  try {
    const pages = numbered(pagesFrom(deps, search, at.start), at.start.first);
    const how = { mapping, stream, keepRows: pii.rejects, makeReject };
    for await (const page of writeLines(pages, how)) {
      const { source } = page;
      const candidates = [...page.candidates];
      let next = 0;
      for (const [record, line] of at.lines) {
        const found = candidates.findIndex((row, n) => n >= next && lineOf(page, row).equals(line));
        const index = candidates[found]?.index;
        if (index === undefined) continue;
        rows.set(record, { page: source, index });
        next = found + 1;
      }
      break;
    }
  } catch (error) {
    // A source that has changed since gives no places; the rejects are kept without them.
    if (signal.aborted || !(error instanceof SluiceError)) throw error;
  }
  return rows;
}

async function rejectsOf(
  deps: Dependencies,
  search: Search,
  { start, refused, lines }: StagedPage & { readonly lines: Lines },
): Promise<RejectEntry[]> {
  const { receipt, sync } = search;
  const { stream } = sync;
  const makeReject = rejectMaker(stream, sync.pii.rejects);
  const isAgain = start?.isAgain === true;
  const rows =
    start === undefined || isAgain ? undefined : await rowsOf(deps, search, { start, lines });
  return refused.map(({ record, field, code: why }): RejectEntry => {
    // A line that an earlier run staged has no row in this one.
    const code = isAgain ? refusedAgain : why;
    const line = lines.get(record) ?? Buffer.from("{}");
    const key = String(keyed.parse(JSON.parse(line.toString()))[keyFieldOf(stream)]);
    const hash = hashOf(line);
    const reason = `${rejectText(code)}${field === undefined ? "" : `, naming ${field}`}`;
    const fault = { step: "send", code, field, reason, key } as const;
    const row = rows?.get(record);
    if (row !== undefined) return { ...makeReject(row.page, row.index, fault), hash };
    return { stream, place: `${chunkName(receipt.chunk)}, record ${record + 1}`, ...fault, hash };
  });
}

/**
 * Makes the rejects of refused records, each with its place and the row it came from. Where the source has changed
 * meanwhile, the place names the record's number in its chunk instead: a reject is kept in any case.
 * @throws {ConfigChangedError} the mapping module is not the one that the configuration found.
 */
export async function findRows(deps: Dependencies, search: Search): Promise<RejectEntry[]> {
  if (search.refused.length === 0) return [];
  const file = stagedFile(deps.stagingFolder, search.receipt);
  const pages = pagesOf(search.refused, await readPageStarts(pageStartsFile(file)));
  const ranges = pages.map(({ range }) => range);
  const rejects: RejectEntry[] = [];
  let page = pages.shift();
  let lines = new Map<number, Buffer>();
  for await (const { record, line } of stagedLines(file, ranges)) {
    lines.set(record, Buffer.from(line));
    if (page === undefined || record + 1 < page.range[1]) continue;
    rejects.push(...(await rejectsOf(deps, search, { ...page, lines })));
    page = pages.shift();
    lines = new Map();
  }
  return rejects;
}

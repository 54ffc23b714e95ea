import { readFile } from "node:fs/promises";

import { z } from "zod";

import type { SyncConfig } from "../src/config/config.ts";
import { SluiceError } from "../src/errors.ts";
import { pageRowsMax } from "../src/limits.ts";
import { loadMapping } from "../src/mapping/load.ts";
import type { PageStart } from "../src/pipeline/chunk.ts";
import { rejectMaker } from "../src/pipeline/rejects.ts";
import { rejectText } from "../src/records/reject-codes.ts";
import { keyFieldOf } from "../src/records/streams.ts";
import { pageStartsFile, stagedFile } from "../src/staging/folder.ts";
import { stagedLines } from "../src/staging/staged-lines.ts";
import type { Receipt } from "../src/state/receipts.ts";
import type { RejectEntry } from "../src/state/rejects.ts";
import type { Dependencies } from "./dependencies.ts";
import { askOf, sourceOf } from "./open-run.ts";

/** A record that the service refused, or fails on: its number in the staged file and the field it named. */
export type Refused = {
  readonly record: number;
  readonly field?: string | undefined;
  readonly code: "refused_by_service" | "too_large" | "service_fails";
};

type Search = {
  readonly sync: SyncConfig;
  readonly receipt: Receipt;
  readonly refused: readonly Refused[];
  readonly signal: AbortSignal;
};

const pageStartSchema = z.object({ record: z.int(), from: z.unknown() });

async function readPageStarts(file: string): Promise<PageStart[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line): PageStart => {
    const { record, from } = pageStartSchema.parse(JSON.parse(line));
    return { record, from };
  });
}

type Fault = Pick<RejectEntry, "step" | "code" | "reason" | "field" | "key">;

/** Makers of rejects by the key of the row's record. */
type PageRejects = Map<string, (fault: Fault) => RejectEntry>;

const keyed = z.record(z.string(), z.unknown());

async function keysOf(file: string, search: Search): Promise<Map<number, string>> {
  const records = search.refused.map(({ record }) => record).toSorted((a, b) => a - b);
  const ranges = records.map((record) => [record, record + 1] as const);
  const keyField = keyFieldOf(search.sync.stream);
  const keys = new Map<number, string>();
  for await (const { record, line } of stagedLines(file, ranges)) {
    keys.set(record, String(keyed.parse(JSON.parse(line.toString()))[keyField]));
  }
  return keys;
}

/** Rejects of one page's rows, by key; the page is read again, because a staged line does not say where it came from. */
async function rereadPage(deps: Dependencies, search: Search, from: unknown): Promise<PageRejects> {
  const { sync, signal } = search;
  const source = sourceOf(deps, sync);
  const mapping = await loadMapping(sync);
  const makeReject = rejectMaker(sync.stream, sync.pii.rejects);
  const position = source.position.optional().parse(from ?? undefined);
  const found: PageRejects = new Map();
  try {
    const ask = { ...askOf(sync, signal), from: position, pageRowsMax };
    for await (const page of source.read(ask)) {
      for (const [index, row] of page.rows.entries()) {
        const mapped = mapping.map(row);
        if (mapped === null || !("record" in mapped)) continue;
        const key = String(mapped.record[keyFieldOf(sync.stream)]);
        // The first row of a key is the one that was sent; a later one of the same page was a duplicate.
        if (!found.has(key)) found.set(key, (fault) => makeReject(page, index, fault));
      }
      break;
    }
  } catch (error) {
    // A source that has changed since gives no place; its rejects are kept without one.
    if (signal.aborted || !(error instanceof SluiceError)) throw error;
  }
  return found;
}

/**
 * Makes the rejects of refused records, each with the place and the row it came from. Where the source has changed
 * meanwhile, the place names the record's number in its chunk instead: a reject is kept in any case.
 */
export async function findRows(deps: Dependencies, search: Search): Promise<RejectEntry[]> {
  if (search.refused.length === 0) return [];
  const { receipt, sync } = search;
  const file = stagedFile(deps.stagingFolder, receipt);
  const [starts, keys] = await Promise.all([
    readPageStarts(pageStartsFile(file)),
    keysOf(file, search),
  ]);
  const none: PageRejects = new Map();
  const pages = new Map<PageStart | undefined, PageRejects>();
  const rejects: RejectEntry[] = [];
  for (const { record, field, code } of search.refused) {
    const start = starts.findLast((page) => page.record <= record);
    if (!pages.has(start)) {
      pages.set(start, start === undefined ? none : await rereadPage(deps, search, start.from));
    }
    const key = keys.get(record) ?? "";
    const reason = `${rejectText(code)}${field === undefined ? "" : `, naming ${field}`}`;
    const fault: Fault = { step: "send", code, field, reason, key };
    const place = `chunk ${receipt.chunk}, record ${record + 1}`;
    const unplaced = { stream: sync.stream, place, ...fault };
    rejects.push(pages.get(start)?.get(key)?.(fault) ?? unplaced);
  }
  return rejects;
}

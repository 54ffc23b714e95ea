import type { Source } from "../../../connectors/contract/connector.ts";
import { silentLog } from "../../../connectors/contract/request.ts";
import { judgingOf } from "../../../connectors/judging.ts";
import { readSpan } from "../../../connectors/read-span.ts";
import { runRangeOf, type RunRange } from "../../../connectors/run-range.ts";
import type { SyncConfig } from "../../config/config.ts";
import {
  chunkRowsReadMax,
  lightweightBodyBytesMax,
  pageRowsMax,
  uploadBytesMax,
} from "../../limits.ts";
import { loadMapping } from "../../mapping/load.ts";
import { recordBytesInBody } from "../../pipeline/bodies.ts";
import { ChangeCounts } from "../../pipeline/change-counts.ts";
import { dropUnchanged, type ChangedSettings } from "../../pipeline/changed.ts";
import { createChunkBudget } from "../../pipeline/chunk-budget.ts";
import { ChunkWriter, type WrittenChunk } from "../../pipeline/chunk.ts";
import { rejectRefused } from "../../pipeline/known-refusals.ts";
import { refusalKnownMs } from "../../pipeline/limits.ts";
import { writeLines } from "../../pipeline/lines.ts";
import { lineOf, numbered, type RecordPage } from "../../pipeline/page.ts";
import {
  readsNewestFirst,
  type RejectedKeys,
  rejectOlder,
} from "../../pipeline/rejects-duplicates.ts";
import { rejectMaker, type RejectsSoFar } from "../../pipeline/rejects.ts";
import { changeOf } from "../../pipeline/what-changed.ts";
import { verdict } from "../../state/contract/keys/fingerprints.ts";
import { noCheckpoint } from "../../state/contract/runs/checkpoints.ts";
import type { Changes } from "../../state/contract/sends/changes.ts";
import type { Refusal } from "../../state/contract/sends/refusals.ts";
import type { StageCounts } from "../../state/contract/sends/stagings.ts";
import { sumOf } from "../../state/contract/sends/under-way.ts";
import type { StateStore } from "../../state/state-store.ts";
import { PlannedKeys } from "./planned-keys.ts";
import { type PlannedRejects, RejectsToCome } from "./planned-rejects.ts";

/** The inputs of a plan. */
export type PlanSource = {
  readonly sync: SyncConfig;
  readonly source: Source;
  readonly target: string;
  /** Undefined if nothing was ever sent from here. */
  readonly state: StateStore | undefined;
  /** Unix ms. */
  readonly now: number;
  readonly signal: AbortSignal;
};

/** A chunk that a run would stage. */
export type PlannedChunk = Pick<WrittenChunk, "counts" | "gzipBytes" | "jsonBytes"> & {
  /** Lightweight bodies; 0 if a single record exceeds one. */
  readonly bodies: number;
};

/** What a run would make of the rows that were read. */
export type ReadPlan = {
  readonly counts: StageCounts;
  /** Undefined if records are not compared with what was sent. */
  readonly changes: Changes | undefined;
  readonly chunks: readonly PlannedChunk[];
  readonly range: RunRange;
  /** Rejects by code. */
  readonly rejects: Readonly<Record<string, PlannedRejects>>;
  /** Where the run fails, as it has more rejects than its limit allows; undefined if it never has. */
  readonly tooMany: RejectsSoFar | undefined;
};

const runName = { runId: "plan", kind: "sync", request: {} } as const;

/** Counts the fields that differ in records that are sent as changed. */
async function* countingFields(
  pages: AsyncIterable<RecordPage>,
  { target, sync, state }: PlanSource,
  { keys, changes }: Pick<Reading, "changes" | "keys">,
): AsyncGenerator<RecordPage> {
  const { name, stream } = sync;
  for await (const page of pages) {
    const changed = page.candidates.filter(() => {
      const judged = keys.nextSent();
      return judged === verdict.changed || judged === verdict.remapped;
    });
    const of = { target, sync: name, keys: changed.map(({ key }) => key) };
    const known = changed.length === 0 ? [] : ((await state?.knownRecords(of)) ?? []);
    for (const [at, candidate] of changed.entries()) {
      const change = changeOf(lineOf(page, candidate), stream, known[at] ?? { state: "new" });
      const fields = change.status === "changed" ? (change.fields ?? []) : [];
      for (const field of fields) changes.addField(field, 1);
    }
    yield page;
  }
}

/** The range of the next run. */
async function rangeOf({ source, sync, state, target, signal }: PlanSource): Promise<RunRange> {
  const checkpoint = (await state?.checkpoint({ target, sync: sync.name })) ?? noCheckpoint;
  return await runRangeOf(source, { sync, checkpoint }, signal);
}

/** The inputs of reading and writing a chunk. */
type Reading = {
  readonly of: PlanSource;
  readonly range: RunRange;
  readonly mapping: Awaited<ReturnType<typeof loadMapping>>;
  readonly refusals: readonly Refusal[];
  readonly settings: ChangedSettings | undefined;
  readonly keys: PlannedKeys;
  readonly changes: ChangeCounts;
  readonly rejects: RejectsToCome;
  /** Keys that were rejected, where the newest of several files is read first. */
  readonly rejected: RejectedKeys | undefined;
};

/** Reads and writes one chunk, starting at a position. */
async function readChunk(
  { of, range, mapping, refusals, settings, keys, changes, rejects, rejected }: Reading,
  { from, limit }: { readonly from: unknown; readonly limit: number | undefined },
): Promise<WrittenChunk> {
  const { sync, source, signal } = of;
  const { stream, pii, mode, connector, connectorConfig: config } = sync;
  const limits = {
    records: sync.chunk.records,
    bytes: Math.min(sync.chunk.bytes, uploadBytesMax),
    rowsRead: chunkRowsReadMax,
    ms: Infinity,
  };
  const budget = createChunkBudget(limits, Date.now);
  const makeReject = rejectMaker(stream, pii.rejects);
  const job = { connector, config, pageRowsMax, span: { from, to: range.to }, limit };
  const rows = numbered(readSpan(job, { source, signal }, silentLog));
  const bytesMax =
    mode === "lightweight" ? recordBytesInBody(stream, lightweightBodyBytesMax) : undefined;
  const lines = writeLines(rows, { mapping, stream, keepRows: "drop", makeReject, bytesMax });
  const tried = rejectRefused(lines, refusals, makeReject);
  const newest = rejected === undefined ? tried : rejectOlder(tried, makeReject, rejected);
  const judged =
    settings === undefined
      ? newest
      : dropUnchanged(newest, keys, { settings, makeReject, budget, counts: changes });
  const counted = isAsked(settings) ? countingFields(judged, of, { keys, changes }) : judged;
  const { level } = sync.chunk;
  const written = { limits, stream, bodyBytesMax: lightweightBodyBytesMax, level, from };
  const chunk = new ChunkWriter(written, budget, async () => await Promise.resolve());
  for await (const page of chunk.write(counted)) rejects.note(page);
  const facts = await chunk.finish();
  rejects.endChunk(facts.counts);
  return facts;
}

/** Whether records, and not their rows, are compared with what was sent. */
function isAsked(settings: ChangedSettings | undefined): boolean {
  return settings !== undefined && settings.rows === undefined;
}

/**
 * Reads what the next run of a sync would read, and makes of it what a staging would, but keeps nothing: neither files
 * nor what was seen.
 * @param limit rows to read at most; undefined reads all.
 */
export async function readPlan(of: PlanSource, limit: number | undefined): Promise<ReadPlan> {
  const { sync, source, state, now, target } = of;
  const range = await rangeOf(of);
  const { from: fromPosition = null, to: toPosition = null, oldestOpen = null } = range;
  const run = { ...runName, target, fromPosition, toPosition, oldestOpen };
  const at = { run, chunk: 1, stage: 1, send: 0, begunAt: 0, oneEach: false, now };
  const since = new Date(now - refusalKnownMs).toISOString();
  const reading: Reading = {
    of,
    range,
    mapping: await loadMapping(sync),
    refusals: (await state?.refusals({ target, sync: sync.name, since })) ?? [],
    settings: await judgingOf(source, sync, at),
    keys: new PlannedKeys(state),
    changes: new ChangeCounts(),
    // Events that others post are sent whatever they are.
    rejects: new RejectsToCome(source.push === undefined ? sync.rejectLimit : undefined),
    rejected: readsNewestFirst(source, sync) ? new Map() : undefined,
  };
  const chunks: PlannedChunk[] = [];
  let from: unknown = range.from ?? undefined;
  let left = limit;
  for (let isDone = false; !isDone;) {
    const { counts, gzipBytes, jsonBytes, bodies, to, done } = await readChunk(reading, {
      from,
      limit: left,
    });
    chunks.push({ counts, gzipBytes, jsonBytes, bodies: bodies?.length ?? 0 });
    from = to;
    left = left === undefined ? undefined : left - counts.read;
    isDone = done || left === 0;
  }
  return {
    counts: sumOf(chunks.map(({ counts }) => counts)),
    changes: isAsked(reading.settings) ? reading.changes.all() : undefined,
    chunks,
    range,
    rejects: Object.fromEntries(reading.rejects.byCode),
    tooMany: reading.rejects.tooMany,
  };
}

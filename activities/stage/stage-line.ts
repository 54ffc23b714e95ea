import type { Log } from "../../connectors/contract/request.ts";
import { readSpan } from "../../connectors/read-span.ts";
import { RetryLater } from "../../src/errors.ts";
import { loadMapping } from "../../src/mapping/load.ts";
import { recordBytesInBody } from "../../src/pipeline/bodies.ts";
import { ChangeCounts } from "../../src/pipeline/change-counts.ts";
import { dropUnchanged } from "../../src/pipeline/changed.ts";
import { createChunkBudget, type ChunkBudget } from "../../src/pipeline/chunk-budget.ts";
import { ChunkWriter, type WrittenChunk } from "../../src/pipeline/chunk.ts";
import { FieldHasher } from "../../src/pipeline/fields/field-hashes.ts";
import { rejectRefused } from "../../src/pipeline/known-refusals.ts";
import { writeLines } from "../../src/pipeline/lines.ts";
import type { LostFields } from "../../src/pipeline/lost-fields.ts";
import { namedRows } from "../../src/pipeline/named-rows.ts";
import { numbered, rowCount, type RecordPage, type RowPage } from "../../src/pipeline/page.ts";
import { rejectMaker } from "../../src/pipeline/rejects.ts";
import { createAtomicFile, pageStartsFile, type AtomicFile } from "../../src/staging/folder.ts";
import type { FieldsToKeep } from "../../src/state/contract/keys/fingerprints.ts";
import type { Changes } from "../../src/state/contract/sends/changes.ts";
import { withoutOlder } from "./newest-first.ts";
import type { Later } from "./patience.ts";
import { readReplay } from "./replay-pages.ts";
import type { StageJob, StageTools } from "./stage-job.ts";
import { StageNotes } from "./stage-notes.ts";
import { withDoubtful } from "./with-doubtful.ts";

/** The result of a finished line. */
export type Staged = WrittenChunk & {
  /** Warnings: names and places, no rows. */
  readonly warnings: readonly string[];
  /** Undefined where records are not checked for changes. */
  readonly changes: Changes | undefined;
  /** Why the chunk ended before it was full, with more to come; undefined where it did not. */
  readonly later: Later | undefined;
};

/**
 * The pages that come before the source says to ask later. They are worth a checkpoint: a source that answers fewer
 * requests in a row than a chunk takes would otherwise be asked for the same pages for ever.
 */
async function* untilLater(
  pages: AsyncIterable<RowPage>,
  signal: AbortSignal,
  end: (later: Later) => void,
): AsyncGenerator<RowPage> {
  let read = 0;
  try {
    for await (const page of pages) {
      yield page;
      read += rowCount(page) + (page.rejects?.length ?? 0);
    }
  } catch (error) {
    if (read === 0 || signal.aborted || !(error instanceof RetryLater)) throw error;
    const { message, hint, retryAfterMs } = error;
    end({ message, hint, afterMs: retryAfterMs });
  }
}

/** The pages that the job reads: a span, rows by name, or rejects again. */
async function* readPages(
  job: StageJob,
  tools: StageTools,
  { log, end }: { readonly log: Log; readonly end: (later: Later) => void },
): AsyncGenerator<RowPage> {
  const { source, signal } = tools;
  if (job.doubts?.isAlone === true) return;
  if (job.isReplay) {
    const { mapping, config, stage, span } = job;
    const what = { runId: stage.runId, sync: mapping.name, stream: mapping.stream, config };
    yield* readReplay({ ...what, after: Number(span.from ?? 0) }, { ...tools, log });
    return;
  }
  if (job.names !== undefined) {
    const { config, names, span } = job;
    yield* namedRows(source, { config, signal, log, names, after: Number(span.from ?? 0) });
    return;
  }
  yield* untilLater(readSpan(job, tools, log), signal, end);
}

/** Shared by the steps of a line. */
type LineParts = {
  readonly job: StageJob;
  readonly tools: StageTools;
  /** The budget of the chunk; it limits reading as well as writing. */
  readonly budget: ChunkBudget;
  readonly lost: LostFields;
  readonly counts: ChangeCounts;
};

/** Decides which lines are sent; all of them where nothing is compared. */
function whatChanged(
  lines: AsyncIterable<RecordPage>,
  { job, tools, budget, lost, counts }: LineParts,
): AsyncIterable<RecordPage> {
  const { changed, mapping, keepRows } = job;
  if (changed === undefined) return lines;
  const { target, sync } = changed;
  const add = async (names: readonly string[]): Promise<readonly string[]> =>
    await tools.state.fieldSlots({ target, sync, names });
  // For rows that are followed, nobody asks which field changed.
  const isUnasked = changed.rows !== undefined;
  const fields = isUnasked
    ? undefined
    : {
        hasher: new FieldHasher(mapping.stream, add),
        keep: async (hashes: Omit<FieldsToKeep, "sync" | "target" | keyof typeof job.stage>) =>
          await tools.state.keepFields({ target, sync, ...job.stage, ...hashes }),
      };
  const makeReject = rejectMaker(mapping.stream, keepRows);
  const how = { settings: changed, makeReject, budget, fields, lost, counts };
  return dropUnchanged(lines, tools.state, how);
}

/** The files of a chunk: its lines and, only for a split, where its pages began. */
type ChunkFiles = { readonly file: AtomicFile; readonly starts: AtomicFile };

/**
 * The data line. Pages go through it one after the other: rows become lines of JSON, records that the service already
 * has are left out, and the rest is written to one file until the chunk is full.
 */
export async function stageLine(job: StageJob, tools: StageTools): Promise<Staged> {
  const file = await createAtomicFile(job.file, tools.effect);
  try {
    const starts = await createAtomicFile(pageStartsFile(job.file), tools.effect);
    try {
      return await writeLine(job, tools, { file, starts });
    } finally {
      await starts.discard();
    }
  } finally {
    await file.discard();
  }
}

async function writeLine(
  job: StageJob,
  tools: StageTools,
  { file, starts }: ChunkFiles,
): Promise<Staged> {
  const { mapping, keepRows, recordBytesMax } = job;
  const { stream } = mapping;
  const compiled = await loadMapping(mapping);
  const makeReject = rejectMaker(stream, keepRows);
  const bytesMax =
    recordBytesMax === undefined ? undefined : recordBytesInBody(stream, recordBytesMax);
  const refusals = job.refused === undefined ? [] : await tools.state.refusals(job.refused);
  const notes = new StageNotes(job, tools);
  const budget = createChunkBudget(job.chunk.limits, Date.now);
  const chunk = new ChunkWriter(job.chunk, budget, async (bytes) => await file.write(bytes));
  let later: Later | undefined;
  const end = (why: Later): void => void (later = why);
  const rows = numbered(readPages(job, tools, { log: notes.sourceLog, end }));
  const how = { mapping: compiled, stream, keepRows, makeReject, bytesMax };
  const lines = writeLines(rows, how);
  const tried = rejectRefused(lines, refusals, makeReject);
  const newest = withoutOlder(tried, job, { ...tools, makeReject });
  const all = withDoubtful(newest, job, { ...tools, warnings: notes.warnings });
  const tellsPlaces = tools.source.placesAreLines === true;
  const counts = new ChangeCounts({ ...job.stage, tellsPlaces });
  const changed = whatChanged(all, { job, tools, budget, lost: notes.lost, counts });
  for await (const written of chunk.write(changed)) {
    // Written at once: with thousands of files in the source, each start names all of them.
    await starts.write(Buffer.from(`${JSON.stringify(written.start)}\n`));
    await notes.note(written);
  }

  const facts = await chunk.finish();
  await starts.finish();
  await file.finish();
  const isAsked = job.changed !== undefined && job.changed.rows === undefined;
  const changes = isAsked ? counts.all() : undefined;
  const done = facts.done && later === undefined;
  return { ...facts, done, changes, later, warnings: notes.all() };
}

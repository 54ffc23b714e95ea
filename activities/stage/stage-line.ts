import type { Log } from "../../connectors/contract/ask.ts";
import type { Source } from "../../connectors/contract/connector.ts";
import type { Effect } from "../../src/effect.ts";
import { runWarningsMax } from "../../src/limits.ts";
import { loadMapping, fieldsToHave } from "../../src/mapping/load.ts";
import { recordBytesInBody } from "../../src/pipeline/bodies.ts";
import { dropUnchanged, type ChangedSettings } from "../../src/pipeline/changed.ts";
import type { ChunkRoom } from "../../src/pipeline/chunk-limits.ts";
import {
  writeChunk,
  type ChunkSettings,
  type PageStart,
  type WrittenChunk,
} from "../../src/pipeline/chunk.ts";
import { FieldHasher } from "../../src/pipeline/field-hashes.ts";
import { rejectRefused } from "../../src/pipeline/known-refusals.ts";
import { writeLines } from "../../src/pipeline/lines.ts";
import { LostFields } from "../../src/pipeline/lost-fields.ts";
import { mapRows } from "../../src/pipeline/map.ts";
import { namedRows } from "../../src/pipeline/named-rows.ts";
import { OmittedFields } from "../../src/pipeline/omitted-fields.ts";
import { numbered, type MakeReject, type Page, type RowPage } from "../../src/pipeline/page.ts";
import {
  assertWithinLimit,
  rejectMaker,
  type KeepRows,
  type RejectLimit,
} from "../../src/pipeline/rejects.ts";
import { validateRecords } from "../../src/pipeline/validate.ts";
import { keyFieldOf } from "../../src/records/streams.ts";
import { validateRecord } from "../../src/records/validate-record.ts";
import { createAtomicFile, pageStartsFile } from "../../src/staging/folder.ts";
import type { SyncName } from "../../src/state/checkpoints.ts";
import type { RejectEntry } from "../../src/state/rejects.ts";
import type { StageCounts, StageName } from "../../src/state/sends.ts";
import type { StateClient } from "../../src/state/state-store.ts";
import { runWarningCharsMax, stageNotedMs } from "../limits.ts";
import { doubtfulPages, doubtPosition, type DoubtJob } from "./doubtful-pages.ts";
import { readSpan } from "./read-span.ts";
import { readReplay } from "./replay-pages.ts";

/** Everything a staging needs to know; plain data, because it crosses to a thread. */
export type StageJob = {
  readonly connector: string;
  /** Of `sluice.yaml`, where an external connector is found from. @default the connector is one of this repository */
  readonly folder?: string;
  /** Output of the connector's schema. */
  readonly config: unknown;
  readonly span: { readonly from: unknown; readonly to: unknown };
  /** Of a backfill: the rows of these names, in place of the span. */
  readonly names: readonly string[] | undefined;
  /** Whether the span is one of the run's list of rejects to read again. */
  readonly isReplay: boolean;
  readonly pageRowsMax: number;
  /** Rows that may still be read; undefined is all. */
  readonly limit: number | undefined;
  readonly mapping: Parameters<typeof loadMapping>[0];
  readonly keepRows: KeepRows;
  /** Bytes of a body that a record must fit into alone; undefined lets it travel as a file. */
  readonly recordBytesMax: number | undefined;
  /** Of which sync what the service refused since then (ISO) is not tried again; undefined tries everything. */
  readonly refused?: (SyncName & { readonly since: string }) | undefined;
  /** What is sent once more before anything is read, or, where nothing is read, alone; undefined sends nothing so. */
  readonly doubts?: (DoubtJob & { readonly isAlone: boolean }) | undefined;
  /** Undefined sends every record. */
  readonly changed: ChangedSettings | undefined;
  readonly chunk: ChunkSettings;
  readonly stage: StageName;
  readonly file: string;
  readonly rejects: {
    /** What the run's earlier chunks counted. */
    readonly before: { readonly read: number; readonly rejected: number };
    readonly limit: RejectLimit;
  };
};

/** What the line is run with. */
export type StageTools = {
  readonly source: Source;
  readonly state: Pick<
    StateClient,
    | "addRejects"
    | "doubtfulRecords"
    | "fieldSlots"
    | "loseLines"
    | "noteStage"
    | "refusals"
    | "replayPage"
    | "stageKeys"
    | "supersedeRejects"
  >;
  readonly effect: Effect;
  readonly signal: AbortSignal;
  progress(counts: StageCounts): void;
};

/** A finished line, without what only a later split needs: that is beside the file. */
export type Staged = Omit<WrittenChunk, "keys" | "pageStarts"> & {
  /** Of its records, in order, as a JSON array. */
  readonly keys: string;
  /** What the connector warned of: names and places, no row. */
  readonly warnings: readonly string[];
};

/** A connector's log: warnings are kept for the report, the rest has no reader in a run. */
function createSourceLog(warnings: string[]): Log {
  return {
    info: () => undefined,
    warn: (text, facts = {}) => {
      if (warnings.length >= runWarningsMax) return;
      const more = Object.values(facts).map(String).join(", ");
      warnings.push((more === "" ? text : `${more}: ${text}`).slice(0, runWarningCharsMax));
    },
  };
}

/** The pages of what the job reads: a span, rows by name, or rejects again. */
async function* readPages(job: StageJob, tools: StageTools, log: Log): AsyncGenerator<RowPage> {
  const { source, signal } = tools;
  if (job.doubts?.isAlone === true) return;
  if (job.isReplay) {
    const { mapping, config, stage, span } = job;
    const what = { runId: stage.runId, stream: mapping.stream, config };
    yield* readReplay({ ...what, after: Number(span.from ?? 0) }, { ...tools, log });
    return;
  }
  if (job.names !== undefined) {
    const { config, names, span } = job;
    yield* namedRows(source, { config, signal, log, names, after: Number(span.from ?? 0) });
    return;
  }
  yield* readSpan(job, tools, log);
}

async function writePageStarts(
  staged: string,
  pageStarts: readonly PageStart[],
  effect: Effect,
): Promise<void> {
  const file = await createAtomicFile(pageStartsFile(staged), effect);
  try {
    for (const start of pageStarts) await file.write(Buffer.from(`${JSON.stringify(start)}\n`));
    await file.finish();
  } finally {
    await file.discard();
  }
}

/** The rejects of a page in the order of its rows, whichever step refused them: a replay reads them in this order. */
function inRowOrder({ rejects }: Page): readonly RejectEntry[] {
  return rejects.toSorted((a, b) => (a.rowNumber ?? 0) - (b.rowNumber ?? 0));
}

function supersededWarning(rows: number): string {
  return `${rows} rejected row${rows === 1 ? " was" : "s were"} left out: other rows of the same keys were sent, and count as newer`;
}

function againWarning(records: number): string {
  const [were, them] = records === 1 ? ["record was", "it"] : ["records were", "them"];
  return `${records} ${were} sent once more: a request of unknown outcome may have been applied over ${them}`;
}

/** What is in doubt and sent once more, as pages of lines; they are no step of the source, unless nothing else is read. */
async function* pagesInDoubt(
  { doubts, span, chunk }: StageJob,
  { state }: StageTools,
  warnings: string[],
): AsyncGenerator<Page> {
  if (doubts === undefined) return;
  let again = 0;
  const { isAlone } = doubts;
  const from = isAlone ? doubtPosition.nullish().parse(span.from) : undefined;
  const positionOf: Parameters<typeof doubtfulPages>[1]["positionOf"] = (last) =>
    isAlone ? last : chunk.from;
  const pages = doubtfulPages(doubts, { state, positionOf }, from ?? undefined);
  try {
    for await (const page of pages) {
      again += page.candidates.length;
      yield page;
    }
  } finally {
    if (again > 0) warnings.push(againWarning(again));
  }
}

async function* oneAfterTheOther(
  first: AsyncIterable<Page>,
  second: AsyncIterable<Page>,
): AsyncGenerator<Page> {
  yield* first;
  yield* second;
}

/** Rows become lines of those records that are to be sent; `warnings` takes what is to be told of it. */
async function linesOf(
  job: StageJob,
  tools: StageTools,
  told: { readonly warnings: string[]; readonly lost: LostFields },
): Promise<(room: ChunkRoom) => AsyncIterable<Page>> {
  const { stream } = job.mapping;
  const { warnings, lost } = told;
  const mapping = await loadMapping(job.mapping);
  const makeReject: MakeReject = rejectMaker(stream, job.keepRows);
  const bytesMax =
    job.recordBytesMax === undefined ? undefined : recordBytesInBody(stream, job.recordBytesMax);
  const refusals = job.refused === undefined ? [] : await tools.state.refusals(job.refused);
  return (room) => {
    const rows = numbered(readPages(job, tools, createSourceLog(warnings)));
    const records = mapRows(rows, mapping, { stream, keepRows: job.keepRows, makeReject });
    const valid = validateRecords(records, validateRecord(stream), makeReject);
    const written = writeLines(valid, { keyField: keyFieldOf(stream), bytesMax, makeReject });
    const mapped = refusals.length === 0 ? written : rejectRefused(written, refusals, makeReject);
    const again = pagesInDoubt(job, tools, warnings);
    const lines = job.doubts === undefined ? mapped : oneAfterTheOther(again, mapped);
    if (job.changed === undefined) return lines;
    const { target, sync, dryRun } = job.changed;
    const add = async (names: readonly string[]): Promise<readonly string[]> =>
      await tools.state.fieldSlots({ target, sync, names });
    // A dry run leaves what is known as it is; of a row that is followed, nobody asks which field changed.
    const isUnasked = dryRun || job.changed.rows !== undefined;
    const fields = isUnasked ? undefined : new FieldHasher(stream, add);
    const how = { settings: job.changed, makeReject, room, fields, lost };
    return dropUnchanged(lines, tools.state, how);
  };
}

/** The data line: rows, records, valid records, lines, what has changed, one file. */
export async function stageLine(job: StageJob, tools: StageTools): Promise<Staged> {
  const warnings: string[] = [];
  const lost = new LostFields(fieldsToHave(job.mapping));
  const pages = await linesOf(job, tools, { warnings, lost });
  const omitted = new OmittedFields();
  let superseded = 0;
  let noteAt = performance.now() + stageNotedMs;
  const file = await createAtomicFile(job.file, tools.effect);
  try {
    const { pageStarts, keys, ...written } = await writeChunk(pages, job.chunk, {
      write: async (bytes) => await file.write(bytes),
      eachPage: async (page, counts) => {
        const { superseded: places } = page;
        const rejects = inRowOrder(page);
        if (rejects.length > 0) {
          const at = new Date().toISOString();
          await tools.state.addRejects({ ...job.stage, rejects, at });
        }
        if (places.length > 0) {
          await tools.state.supersedeRejects({ runId: job.stage.runId, places });
          superseded += places.length;
        }
        omitted.add(page.omitted ?? []);
        tools.progress(counts);
        if (performance.now() >= noteAt) {
          await tools.state.noteStage({ ...job.stage, counts, to: page.source.position });
          noteAt = performance.now() + stageNotedMs;
        }
        const { before, limit } = job.rejects;
        try {
          assertWithinLimit(limit, {
            rejected: before.rejected + counts.rejected,
            read: before.read + counts.read,
          });
        } catch (error) {
          // What it stopped for is in its report.
          await tools.state.noteStage({ ...job.stage, counts, to: page.source.position });
          throw error;
        }
        tools.signal.throwIfAborted();
      },
    });
    await writePageStarts(job.file, pageStarts, tools.effect);
    await file.finish();
    if (superseded > 0) warnings.push(supersededWarning(superseded));
    const namesPlaces = tools.source.placesAreLines === true;
    warnings.push(...omitted.warnings(namesPlaces), ...lost.warnings(namesPlaces));
    return { ...written, keys: JSON.stringify(keys), warnings };
  } finally {
    await file.discard();
  }
}

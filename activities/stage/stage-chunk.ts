import { activityInfo } from "@temporalio/activity";

import { judgingOf } from "../../connectors/judging.ts";
import { assertStillSameSource } from "../../connectors/same-sides.ts";
import { checkColumns, connectorOf } from "../../connectors/source.ts";
import type { SyncConfig } from "../../src/config/config.ts";
import { SourceChangedError, StagingFullError, TooFewRowsError } from "../../src/errors.ts";
import {
  chunkRowsReadMax,
  lightweightBodyBytesMax,
  pageRowsMax,
  uploadBytesMax,
} from "../../src/limits.ts";
import { mappingHash } from "../../src/mapping/load.ts";
import { refusalKnownMs } from "../../src/pipeline/limits.ts";
import { readsNewestFirst } from "../../src/pipeline/rejects-duplicates.ts";
import { stagedFile, cleanUpChunk } from "../../src/staging/folder.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { BegunStaging, StageAttempt } from "../../src/state/contract/sends/stagings.ts";
import { byteText } from "../../src/text/quantities.ts";
import { attempt } from "../attempt.ts";
import { runOf, syncOf, type Dependencies } from "../dependencies.ts";
import type { RunRef, StageResult } from "../inputs.ts";
import { chunkMsMax, chunkUnsentMsMax, replayChunkRowsMax } from "../limits.ts";
import { rejectLimitOf } from "../run/replay-place.ts";
import { withRetryBudget } from "../upload/retry-budget.ts";
import { mustBeOneEach } from "./one-each.ts";
import { Patience } from "./patience.ts";
import type { StageJob } from "./stage-job.ts";
import type { Staged } from "./stage-line.ts";
import { stageResultOf } from "./stage-result.ts";

/** Room under the API's limit for the last page of a chunk. */
const lastPageBytes = 100_000_000;

/** The records in doubt to send before the first chunk of a run is read, or alone in a resend; undefined for none. */
function doubtsOf(
  { clock, hostId, stagingFolder, target }: Dependencies,
  at: { readonly run: Run; readonly chunk: number; readonly isFullRead: boolean },
): StageJob["doubts"] {
  const { run, chunk, isFullRead } = at;
  const { kind, request, sync } = run;
  const isAlone = kind === "resend";
  // A source that each run reads anew brings the records in doubt again.
  const readsOn = kind === "inbox" || (kind === "sync" && !isFullRead);
  const isFirst = chunk === 1 && request.limit === undefined;
  if (!isAlone && !(readsOn && isFirst)) return undefined;
  return { target, sync, stagingFolder, hostId, now: clock(), isAlone };
}

/** The number of the staging since which a record that another run has sent counts as newer. */
async function begunAtOf(
  { state }: Dependencies,
  at: { readonly run: Run; readonly drawn: BegunStaging; readonly isFullRead: boolean },
): Promise<number> {
  const { run, drawn, isFullRead } = at;
  const { kind, runId } = run;
  if (kind !== "backfill") return drawn.send;
  // Its spans hold since before its first staging, which may have been given up. What is read anew is never older.
  const first = isFullRead
    ? (await state.committedStaging({ runId, chunk: 1 }))?.send
    : await state.firstSend({ runId });
  return Math.min(drawn.send, first ?? drawn.send);
}

async function jobOf(
  deps: Dependencies,
  at: { readonly run: Run; readonly chunk: number; readonly drawn: BegunStaging },
  signal: AbortSignal,
): Promise<StageJob> {
  const { run, chunk, drawn } = at;
  const { request, runId } = run;
  const sync = syncOf(deps, run.sync);
  const before = await deps.state.totalsBefore({ runId, chunk });
  const source = connectorOf(deps, sync.connector);
  const isFullRead = source.restart?.(sync.connectorConfig) === "each-run";
  const isReplay = run.kind === "replay";
  const now = deps.now();
  const since = new Date(now - refusalKnownMs).toISOString();
  const begunAt = await begunAtOf(deps, { run, drawn, isFullRead });
  const { name, record, recordModule, stream } = sync;
  const oneEach = await withRetryBudget(
    deps,
    { runId, chunk },
    async () => await mustBeOneEach(deps, { run, sync }, signal),
  );
  return {
    connector: sync.connector,
    folder: deps.config.folder,
    config: sync.connectorConfig,
    span: { from: drawn.from ?? undefined, to: drawn.to ?? undefined },
    names: request.keys,
    isReplay,
    newestFirst: !isReplay && readsNewestFirst(source, sync),
    pageRowsMax,
    limit: request.limit === undefined ? undefined : Math.max(0, request.limit - before.read),
    mapping: recordModule === undefined ? { name, record, stream } : { name, recordModule, stream },
    keepRows: sync.pii.rejects,
    refused: request.full === true ? undefined : { target: deps.target, sync: name, since },
    doubts: doubtsOf(deps, { run, chunk, isFullRead }),
    recordBytesMax:
      (request.mode ?? sync.mode) === "lightweight" ? lightweightBodyBytesMax : undefined,
    changed: await judgingOf(source, sync, { ...drawn, run, chunk, begunAt, oneEach, now }),
    chunk: {
      limits: {
        records: sync.chunk.records,
        bytes: Math.min(sync.chunk.bytes, uploadBytesMax - lastPageBytes),
        rowsRead: isReplay ? replayChunkRowsMax : chunkRowsReadMax,
        ms: chunkMsMax,
        unsentMs: chunkUnsentMsMax,
      },
      stream,
      bodyBytesMax: lightweightBodyBytesMax,
      level: sync.chunk.level,
      from: drawn.from,
    },
    stage: { runId, chunk, stage: drawn.stage },
    file: stagedFile(deps.stagingFolder, { runId, chunk, stage: drawn.stage }),
    rejects: { before, limit: rejectLimitOf(run, sync) },
  };
}

function thisAttempt(): StageAttempt {
  const { scheduledTimestampMs, attempt: number } = activityInfo();
  return { scheduledMs: scheduledTimestampMs, number };
}

function tooFewRows(
  sync: string,
  { read, minRows }: { readonly read: number; readonly minRows: number },
): TooFewRowsError {
  const message =
    `sync ${sync} read ${read} rows, and \`min_rows\` asks for ${minRows}: ` +
    "nothing of this chunk was sent";
  return new TooFewRowsError(message, {
    field: `syncs.${sync}.min_rows`,
    hint: "check that the source is whole, or lower min_rows",
  });
}

/** The error of a run that stages everything before it sends, and takes more disk than allowed. */
function stagingFull(sync: string, bytesMax: number): StagingFullError {
  const message =
    `sync ${sync} has \`hold_if\`, so a run stages everything before it sends; that takes more than the ` +
    `${byteText(bytesMax)} of \`advanced.staging_max\`: nothing of it was sent`;
  return new StagingFullError(message, {
    field: "advanced.staging_max",
    hint: "raise it where the disk has room, or take `hold_if` out",
  });
}

/** Why a run stops after this staging; undefined where it continues. */
function stopOf(
  { config }: Pick<Dependencies, "config">,
  sync: SyncConfig,
  of: {
    readonly run: Run;
    readonly before: StageJob["rejects"]["before"];
    readonly staged: Staged;
  },
): TooFewRowsError | StagingFullError | undefined {
  const { run, before, staged } = of;
  if (run.kind !== "sync") return undefined;
  const read = before.read + staged.counts.read;
  const { minRows, name, holdIf } = sync;
  const isWhole = staged.done && run.request.limit === undefined;
  if (isWhole && read < minRows) return tooFewRows(name, { read, minRows });
  const { stagingBytesMax } = config.advanced;
  if (holdIf === undefined || before.stagedBytes + staged.gzipBytes <= stagingBytesMax) {
    return undefined;
  }
  return stagingFull(name, stagingBytesMax);
}

/** Stages within the retry budget. If its source has changed, a backfill must be begun again, not its sync. */
async function stagedOf(
  deps: Dependencies,
  { run, chunk }: { readonly run: Run; readonly chunk: number },
  work: () => Promise<Staged>,
): Promise<Staged> {
  try {
    return await withRetryBudget(deps, { runId: run.runId, chunk }, work);
  } catch (error) {
    if (run.kind !== "backfill" || !(error instanceof SourceChangedError)) throw error;
    throw new SourceChangedError(error.message, {
      cause: error,
      hint:
        "begin the backfill again: it is planned for what is there then; put new files in place by renaming " +
        "them, and not while it reads",
    });
  }
}

/**
 * Stages one chunk in a thread of its own: reads, maps, validates, drops unchanged records, and leaves one file of
 * JSONL. Twice is once: each staging draws a new number and removes the files of older ones; a committed chunk stays as
 * it is.
 */
export function createStageChunk(
  deps: Dependencies,
): (input: RunRef & { readonly chunk: number }) => Promise<StageResult> {
  const { state } = deps;
  const patience = new Patience();
  return async ({ chunk, ...ref }) =>
    await attempt(async ({ signal, progress }) => {
      const run = await runOf(deps, ref);
      const { runId } = ref;
      // A run whose workflow was reset continues after its committed chunks.
      const committed = await state.committedStaging({ runId, chunk });
      if (committed !== undefined) return stageResultOf(committed);
      patience.assertOver(runId);
      const drawn = await state.beginStaging({
        runId,
        chunk,
        host: deps.hostId,
        by: thisAttempt(),
      });
      const cleanUpBefore = async (before: number): Promise<void> =>
        await cleanUpChunk(deps.stagingFolder, { runId, chunk, before }, deps.effect);
      await cleanUpBefore(drawn.stage);
      const job = await jobOf(deps, { run, chunk, drawn }, signal);
      const sync = syncOf(deps, run.sync);
      const staged = await stagedOf(deps, { run, chunk }, async () => {
        // Checked before each chunk: a column that has disappeared would silently be missing from every record.
        const source = connectorOf(deps, job.connector);
        const needsSource = job.doubts?.isAlone !== true;
        if (needsSource) await assertStillSameSource(deps, { sync, source }, signal);
        const how = { signal, mayName: false };
        if (needsSource && !job.isReplay) await checkColumns(source, sync, how);
        const written = await deps.stageThreads.run(job, { signal, progress });
        // Checked once more: one of several files may have been replaced, with other columns, while another was read.
        if (needsSource && !job.isReplay) await checkColumns(source, sync, how);
        return written;
      });
      if (staged.warnings.length > 0) {
        await state.addWarnings({ runId, warnings: staged.warnings });
      }
      const stop = stopOf(deps, sync, { run, before: job.rejects.before, staged });
      if (stop !== undefined) {
        await cleanUpBefore(drawn.stage + 1);
        throw stop;
      }
      const { stage } = drawn;
      const { later, ...facts } = staged;
      if (later !== undefined) patience.note(runId, later);
      const done = staged.done || job.limit === staged.counts.read;
      await state.finishStage({
        runId,
        chunk,
        stage,
        ...facts,
        done,
        bodies: staged.bodies ?? [],
        // Records in doubt are sent as they were staged, by whichever mapping.
        mapping: run.kind === "resend" ? undefined : mappingHash(sync),
      });
      const { records, ...counts } = staged.counts;
      const { jsonBytes, gzipBytes } = staged;
      const parts = staged.bodies?.length ?? 0;
      return { stage, records, parts, jsonBytes, gzipBytes, done, counts };
    });
}

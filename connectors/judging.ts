import { isDeepStrictEqual } from "node:util";

import type { SyncConfig } from "../src/config/config.ts";
import { mappingHash } from "../src/mapping/load.ts";
import type { ChangedSettings } from "../src/pipeline/changed.ts";
import { rejectsDuplicates } from "../src/pipeline/rejects-duplicates.ts";
import type { Run } from "../src/state/contract/runs/runs.ts";
import type { Source } from "./contract/connector.ts";

/**
 * Whether a run with `send: all` follows the rows that it sends, so that the next run, which goes back over some, sends
 * none of them twice. From a pushed source only the events after the checkpoint are read. Any other kind of run does
 * not follow the rows that it sends.
 */
export function followsRows(
  source: Source,
  { connectorConfig }: Pick<SyncConfig, "connectorConfig">,
  { kind }: Pick<Run, "kind">,
): boolean {
  const resumes = source.restart?.(connectorConfig) !== "each-run";
  return kind === "sync" && source.rewind !== undefined && source.push === undefined && resumes;
}

/** A chunk whose records are judged. */
export type ChunkToJudge = Pick<ChangedSettings, "chunk" | "send" | "stage"> & {
  readonly run: Pick<
    Run,
    "fromPosition" | "kind" | "oldestOpen" | "request" | "runId" | "target" | "toPosition"
  >;
  /** The number of the run's first staging. */
  readonly begunAt: number;
  readonly oneEach: boolean;
  /** Unix ms. */
  readonly now: number;
};

/**
 * Whether the next run goes further back than by the overlap, which is all that pages know of: to the beginning of a
 * transaction that was open when this run was opened. True for a source without an end to read to, because nobody can
 * tell.
 */
async function goesBackFurther(
  source: Source,
  config: unknown,
  { oldestOpen, toPosition }: ChunkToJudge["run"],
): Promise<boolean> {
  if (oldestOpen === null || source.rewind === undefined) return false;
  if (toPosition === null) return true;
  const to = source.position.parse(toPosition);
  const at = { config, position: to, to };
  const byOverlap = await source.rewind(at);
  const further = await source.rewind({ ...at, oldestOpen: source.position.parse(oldestOpen) });
  return !isDeepStrictEqual(byOverlap, further);
}

/** Which rows of a run with `send: all` are followed: in a first read, only those that come again. */
async function rowsToFollow(
  source: Source,
  config: unknown,
  run: ChunkToJudge["run"],
): Promise<"again" | "first"> {
  if (run.kind !== "sync" || run.fromPosition !== null) return "again";
  return (await goesBackFurther(source, config, run)) ? "again" : "first";
}

/** How a run decides what has changed; undefined where it sends everything that it reads. */
export async function judgingOf(
  source: Source,
  sync: SyncConfig,
  { run, chunk, stage, send, begunAt, oneEach, now }: ChunkToJudge,
): Promise<ChangedSettings | undefined> {
  const { kind, request, runId, target } = run;
  const { name, connectorConfig, resendAfterMs } = sync;
  const isAll = sync.send === "all";
  if (isAll && !oneEach && !followsRows(source, sync, run)) return undefined;
  const readsSource = kind !== "replay" && kind !== "resend";
  const isRejected = readsSource && rejectsDuplicates(source, sync);
  return {
    target,
    sync: name,
    runId,
    chunk,
    stage,
    send,
    full: request.full === true || kind === "replay" || (isAll && kind === "backfill"),
    rejectDuplicates: isRejected || oneEach,
    oneEach,
    rows: isAll ? await rowsToFollow(source, connectorConfig, run) : undefined,
    begunAt: kind === "backfill" ? begunAt : undefined,
    committedAfter: resendAfterMs === undefined ? undefined : now - resendAfterMs,
    mapping: mappingHash(sync),
  };
}

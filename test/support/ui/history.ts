import type { RejectEntry } from "../../../src/state/contract/rejects/rejects.ts";
import type { Hold } from "../../../src/state/contract/runs/holds.ts";
import type { Outcome, RunFailure, RunKind } from "../../../src/state/contract/runs/runs.ts";
import type { Changes } from "../../../src/state/contract/sends/changes.ts";
import type { StageCounts } from "../../../src/state/contract/sends/stagings.ts";
import type { StateStore } from "../../../src/state/state-store.ts";

/** A chunk of a past run. */
export type PastChunk = {
  readonly counts: StageCounts;
  readonly rejects?: readonly RejectEntry[];
  readonly changes?: Changes;
  /** When it began and was committed, in ms after its run began; a chunk without an end stays staged. */
  readonly beganMs: number;
  readonly committedMs?: number | undefined;
  /** How often its staging was begun. @default once */
  readonly stages?: number;
};

/** A past run of a sync or pull. */
export type PastRun = {
  readonly runId: string;
  readonly target: string;
  readonly sync: string;
  readonly kind?: RunKind;
  readonly startedMs: number;
  readonly chunks: readonly PastChunk[];
  /** Undefined leaves the run open. */
  readonly end?: {
    readonly outcome: Outcome;
    readonly afterMs: number;
    readonly failure?: RunFailure;
  };
  readonly hold?: Hold;
};

/** The time as ISO 8601 text. */
function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

async function writeChunk(
  store: StateStore,
  { runId, startedMs }: PastRun,
  { chunk, past }: { readonly chunk: number; readonly past: PastChunk },
): Promise<void> {
  const { counts, rejects = [], changes, beganMs, committedMs, stages = 1 } = past;
  const by = { scheduledMs: startedMs + beganMs, number: 1 };
  let { stage } = await store.beginStaging({ runId, chunk, host: "1", by });
  for (let again = 1; again < stages; again++) {
    const later = { ...by, number: again + 1 };
    ({ stage } = await store.beginStaging({ runId, chunk, host: "1", by: later }));
  }
  const name = { runId, chunk, stage };
  const at = isoOf(startedMs + (committedMs ?? beganMs));
  if (rejects.length > 0) await store.addRejects({ ...name, rejects, at });
  await store.finishStage({
    ...name,
    to: { offset: chunk },
    done: false,
    counts,
    jsonBytes: counts.records * 120,
    gzipBytes: counts.records * 30,
    jsonlSha256: "aa",
    gzipSha256: "bb",
    bodies: [],
    keys: "[]",
    ...(changes === undefined ? {} : { changes }),
  });
  if (committedMs === undefined) return;
  if (counts.records > 0) {
    const part = { ...name, part: 0 };
    /** The time at which this share of the chunk, from 0 to 1, was done. */
    const after = (share: number): string =>
      isoOf(startedMs + beganMs + share * (committedMs - beganMs));
    const file = { ...part, form: "file", host: "1" } as const;
    const { attempts } = await store.beginPart({ ...file, at: after(0.5) });
    const fileKey = `uploads/${runId}/${chunk}`;
    const uploaded = { ...part, attempts, state: "uploaded", fileKey } as const;
    await store.movePart({ ...uploaded, at: after(0.75) });
    const confirming = await store.beginPart({ ...file, confirm: fileKey, at: after(0.75) });
    const accepted = { ...part, attempts: confirming.attempts, state: "accepted" } as const;
    await store.movePart({ ...accepted, at: after(0.9) });
  }
  await store.commitChunk({ ...name, at });
}

/** Writes a past run into a store, by the methods that a worker calls. */
export async function writePastRun(store: StateStore, run: PastRun): Promise<void> {
  const { runId, target, sync, kind = "sync", startedMs, chunks, end, hold } = run;
  const startedAt = isoOf(startedMs);
  const workflow = { workflowId: `${sync}-${runId}`, firstRunId: `first-${runId}`, kind };
  const opening = {
    temporalId: "t",
    configHash: "c",
    request: {},
    startedAt,
    placesAreLines: true,
  };
  await store.openRun({ runId, target, sync, ...workflow, ...opening });
  await store.takeLock({ name: `lock of ${runId}`, runId, ...workflow, at: startedAt });
  const { version: checkpointVersion } = await store.checkpoint({ target, sync });
  await store.setRunRange({ runId, checkpointVersion, from: { offset: 0 } });
  await store.setMode({ runId, mode: "heavyweight", reason: "more than one body would hold" });
  for (const [index, past] of chunks.entries()) {
    await writeChunk(store, run, { chunk: index + 1, past });
  }
  if (hold !== undefined) await store.setHold({ runId, hold });
  if (end === undefined) return;
  const { outcome, failure, afterMs } = end;
  await store.endRun({ runId, outcome, failure, endedAt: isoOf(startedMs + afterMs) });
  await store.releaseLock({ name: `lock of ${runId}`, runId });
}

import type { StageName } from "../../src/state/contract/sends/stagings.ts";
import type { StateStore } from "../../src/state/state-store.ts";

/** The owner of the rows that the benchmarks stage. */
export const owner = { target: "bench", sync: "accounts" } as const;

/** The host that stages them. */
export const host = "bench";

/** Opens a run as a workflow would, without Temporal and the service; it holds the send lock. */
export async function beginRun(state: StateStore, runId: string): Promise<void> {
  const at = new Date().toISOString();
  const workflow = { runId, kind: "sync", workflowId: runId, firstRunId: runId } as const;
  const opening = { temporalId: "", configHash: "", request: {}, startedAt: at };
  await state.openRun({ ...workflow, ...opening, ...owner });
  await state.takeLock({ ...workflow, name: owner.sync, at });
  const { version: checkpointVersion } = await state.checkpoint(owner);
  await state.setRunRange({ runId, checkpointVersion, from: null });
}

/** Releases the send lock. */
export async function endRun(state: StateStore, runId: string): Promise<void> {
  await state.releaseLock({ name: owner.sync, runId });
}

/**
 * Commits a staged chunk as if the service had accepted it, so that the next run finds it unchanged.
 * @returns how long the commit took, and the work for it while the chunk was on its way, in ms.
 */
export async function commit(
  state: StateStore,
  name: StageName,
): Promise<{ readonly preparedMs: number; readonly commitMs: number }> {
  const at = new Date().toISOString();
  const part = { ...name, part: 0 };
  const { attempts } = await state.beginPart({ ...part, form: "file", host, at });
  const begunMs = performance.now();
  await state.prepareCommit(name);
  const preparedMs = performance.now() - begunMs;
  await state.movePart({ ...part, attempts, state: "accepted", at });
  const startedMs = performance.now();
  await state.commitChunk({ ...name, at });
  return { preparedMs, commitMs: performance.now() - startedMs };
}

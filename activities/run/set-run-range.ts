import type { Source } from "../../connectors/contract/connector.ts";
import { runRangeOf } from "../../connectors/run-range.ts";
import type { SyncConfig } from "../../src/config/config.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { Dependencies } from "../dependencies.ts";

/** Begins a run that reads no source: it sends the records in doubt again. Call it once the send lock is held. */
export async function placeResend(
  { state, target }: Pick<Dependencies, "state" | "target">,
  { runId, sync }: Pick<Run, "runId" | "sync">,
): Promise<void> {
  const { version: checkpointVersion } = await state.checkpoint({ target, sync });
  await state.setRunRange({ runId, checkpointVersion, from: null });
}

/** Warns, once for each sync, that the store was restored to an earlier state. */
export async function warnOfRestore(
  { config, state, target }: Pick<Dependencies, "config" | "state" | "target">,
  { runId, sync }: Pick<Run, "runId" | "sync">,
): Promise<void> {
  if (!(await state.isRestored({ target, sync }))) return;
  const happened =
    config.store === undefined
      ? "was restored from a backup, and does not know what was sent after it"
      : "was restored from a backup, or a standby took over, and may not know what was sent last";
  const warning =
    `the state store ${happened}: records sent before count as unknown, and are sent again when they ` +
    "are read";
  await state.addWarnings({ runId, warnings: [warning] });
  await state.tellRestored({ target, sync });
}

/** Sets where a run begins and how far it reads (`runRangeOf`). Call it once the send lock is held. */
export async function setRunRange(
  { state, target }: Pick<Dependencies, "state" | "target">,
  at: { readonly runId: string; readonly sync: SyncConfig; readonly source: Source },
  signal: AbortSignal,
): Promise<void> {
  const { runId, sync, source } = at;
  const checkpoint = await state.checkpoint({ target, sync: sync.name });
  const { warnings, ...range } = await runRangeOf(source, { sync, checkpoint }, signal);
  await state.setRunRange({ runId, checkpointVersion: checkpoint.version, ...range });
  if (warnings.length > 0) await state.addWarnings({ runId, warnings });
}

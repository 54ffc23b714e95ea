import type { Source } from "../../connectors/contract/connector.ts";
import { runRangeOf } from "../../connectors/run-range.ts";
import type { SyncConfig } from "../../src/config/config.ts";
import type { Run, RunPlace } from "../../src/state/contract/runs/runs.ts";
import { changedSinceBegun, type Dependencies } from "../dependencies.ts";

/** A run that is opened, with its sync and its source as they are configured now. */
export type Opening = {
  readonly runId: string;
  readonly sync: SyncConfig;
  readonly source: Source;
};

/**
 * Stores where a run begins, and that it continues with this configuration.
 * @throws {ConfigChangedError} it has staged with another one, which must not be mixed with this one.
 */
async function setPlace(
  { state }: Pick<Dependencies, "state">,
  { runId, sync, source }: Opening,
  place: Omit<RunPlace, "runId">,
): Promise<void> {
  const { configHash } = sync;
  // An earlier attempt may have been of another connector, whose value stays if none is given.
  const placesAreLines = source.placesAreLines === true;
  const run = await state.setRunRange({ ...place, runId, configHash, placesAreLines });
  if (run.configHash !== configHash) throw changedSinceBegun(run);
}

/** Begins a run that reads what is listed for it, and no range of its source. Call it once the send lock is held. */
export async function placeAtStart(
  deps: Pick<Dependencies, "state" | "target">,
  at: Opening,
): Promise<void> {
  const of = { target: deps.target, sync: at.sync.name };
  const { version: checkpointVersion } = await deps.state.checkpoint(of);
  await setPlace(deps, at, { checkpointVersion, from: null });
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
  deps: Pick<Dependencies, "state" | "target">,
  at: Opening,
  signal: AbortSignal,
): Promise<void> {
  const { state, target } = deps;
  const { runId, sync, source } = at;
  const checkpoint = await state.checkpoint({ target, sync: sync.name });
  const { warnings, ...range } = await runRangeOf(source, { sync, checkpoint }, signal);
  await setPlace(deps, at, { checkpointVersion: checkpoint.version, ...range });
  if (warnings.length > 0) await state.addWarnings({ runId, warnings });
}

import type { Source } from "../connectors/connector.ts";
import type { SyncConfig } from "../src/config/config.ts";
import { BusyError, ConfigError } from "../src/errors.ts";
import { currentKey } from "../src/fresh-key.ts";
import { assertMaySend } from "../src/key-gates.ts";
import { loadMapping } from "../src/mapping/load.ts";
import { sendLock, type LockHolder } from "../src/state/locks.ts";
import { attempt } from "./attempt.ts";
import { abandonRun } from "./close-abandoned.ts";
import { isoNow, syncOf, type Dependencies } from "./dependencies.ts";
import type { OpenedRun, OpenRunInput, RunSettings } from "./inputs.ts";
import { isRunOpen } from "./run-open.ts";

/** The connector of a sync. @throws {ConfigError} there is none of that name. */
export function sourceOf({ sources }: Pick<Dependencies, "sources">, sync: SyncConfig): Source {
  const source = sources.get(sync.connector);
  if (source === undefined) throw new ConfigError(`there is no connector "${sync.connector}"`);
  return source;
}

/** What connectors are asked with. */
export function askOf(
  sync: SyncConfig,
  signal: AbortSignal,
): { config: unknown; signal: AbortSignal; log: { info(): void; warn(): void } } {
  // Connectors speak through rejects and errors; what they log besides has no reader in a run.
  return {
    config: sync.connectorConfig,
    signal,
    log: { info: () => undefined, warn: () => undefined },
  };
}

/** Columns that a message names. */
const columnsShownMax = 50;

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

/**
 * Tells before the first row whether the source has every column that the mapping reads.
 * @param mayName whether the message may name the columns there are: never where Temporal keeps it, because a file without
 * a header has its first row there (I4).
 * @throws {ConfigError} it has not.
 */
export async function checkColumns(
  source: Source,
  sync: SyncConfig,
  how: { readonly signal: AbortSignal; readonly mayName: boolean },
): Promise<void> {
  const columns = await source.columns?.(askOf(sync, how.signal));
  if (columns === undefined) return;
  const mapping = await loadMapping(sync);
  const missing = mapping.columns.filter((column) => !columns.includes(column));
  if (missing.length === 0) return;
  throw new ConfigError(
    `sync ${sync.name} reads the column${missing.length > 1 ? "s" : ""} ${quoted(missing)}, which connection ${sync.connection} does not have`,
    {
      field: `syncs.${sync.name}.record`,
      hint: how.mayName
        ? `its columns are ${quoted(columns.slice(0, columnsShownMax))}`
        : `\`sluice preview ${sync.name}\` says which columns there are`,
    },
  );
}

async function takeSendLock(deps: Dependencies, input: OpenRunInput): Promise<number> {
  const { workflowId, firstRunId, runId, kind } = input;
  const name = sendLock(deps.target, input.sync);
  const ask = { name, workflowId, firstRunId, runId, kind, at: isoNow(deps) };
  let answer = await deps.state.takeLock(ask);
  if ("holder" in answer && !(await isRunOpen(deps, answer.holder))) {
    // A terminated or timed-out workflow cannot give its lock back: Temporal says that it is closed.
    const { holder } = answer;
    answer = await deps.state.takeLock({ ...ask, insteadOf: holder });
    if ("fence" in answer) await abandonRun(deps, holder);
  }
  if ("fence" in answer) return answer.fence;
  throw busy(input.sync, answer.holder);
}

function busy(sync: string, holder: LockHolder): BusyError {
  return new BusyError(
    `sync ${sync} is being sent by run ${holder.runId} (workflow ${holder.workflowId})`,
    { hint: `wait for it, or \`sluice cancel ${holder.runId}\`` },
  );
}

function settingsOf(deps: Dependencies, sync: SyncConfig, input: OpenRunInput): RunSettings {
  const { chunksPerRun, heartbeatTimeoutMs, scheduleToStartMs, retryInitialMs, retryMaxMs } =
    deps.config.advanced;
  return {
    mode: input.request.mode ?? sync.mode,
    lightweightPartsMax: sync.lightweightPartsMax,
    dryRun: input.request.dryRun === true,
    chunksPerRun,
    heartbeatTimeoutMs,
    scheduleToStartMs,
    retryInitialMs,
    retryMaxMs,
    searchAttribute: deps.config.temporal.searchAttribute,
  };
}

/**
 * Opens a run: checks what can be checked without reading rows, takes the send lock and stores where the run begins.
 * Twice is once: the run is stored by its id, and its own lock is given to it again.
 */
export function createOpenRun(deps: Dependencies): (input: OpenRunInput) => Promise<OpenedRun> {
  return async (input) =>
    await attempt(async ({ signal }) => {
      const { state, target } = deps;
      const sync = syncOf(deps, input.sync);
      const source = sourceOf(deps, sync);
      const { storeId } = state;
      const { configHash } = sync;
      const isResumed = source.restart?.(sync.connectorConfig) !== "each-run";
      const opened = await state.openRun({
        ...input,
        target,
        temporalId: deps.temporalId,
        configHash,
        startedAt: isoNow(deps),
      });
      if (opened.firstRunId !== input.firstRunId) {
        throw new BusyError(`run ${input.runId} belongs to workflow ${opened.workflowId}`);
      }
      const fence = await takeSendLock(deps, input);
      await state.placeRun({ runId: input.runId, isResumed });
      if (input.request.dryRun !== true) {
        await assertMaySend(state, await currentKey(deps.config.api), deps.clock());
      }
      await checkColumns(source, sync, { signal, mayName: false });
      // `send: all` keeps no fingerprints, so older ones no longer say what the service holds.
      if (sync.send === "all" && input.request.dryRun !== true) {
        await state.forgetFingerprints({ target, sync: sync.name });
      }
      deps.log.info(
        { run: input.runId, sync: sync.name, workflow: input.workflowId },
        "run opened",
      );
      const settings = settingsOf(deps, sync, input);
      return {
        runId: input.runId,
        storeId,
        configHash,
        fence,
        hostQueue: deps.hostQueue,
        settings,
      };
    });
}

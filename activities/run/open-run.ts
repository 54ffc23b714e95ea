import { assertSameSides } from "../../connectors/same-sides.ts";
import { checkColumns, connectorOf } from "../../connectors/source.ts";
import type { SyncConfig } from "../../src/config/config.ts";
import { BusyError } from "../../src/errors.ts";
import { mappingToKeep } from "../../src/mapping/load.ts";
import { assertMaySend } from "../../src/service/key-limits.ts";
import { currentKey } from "../../src/service/rotating-key.ts";
import { sendLock } from "../../src/state/contract/runs/locks.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import { attempt } from "../attempt.ts";
import {
  assertNotEnded,
  assertSameTarget,
  isoNow,
  syncOf,
  type Dependencies,
} from "../dependencies.ts";
import type { OpenedRun, OpenRunInput, RunSettings } from "../inputs.ts";
import { heldMsMax } from "../limits.ts";
import { hostOfDoubts, takeHost } from "./choose-host.ts";
import { forgetUnfollowed } from "./followed-rows.ts";
import { warnOfMissedRuns } from "./missed-runs.ts";
import { placeReplay } from "./replay-place.ts";
import { placeAtStart, setRunRange, warnOfRestore } from "./set-run-range.ts";
import { endGoneSenders } from "./settle-doubts.ts";
import { takeRunLock } from "./take-lock.ts";

/** From 1, which goes first, to 5; every other kind is in the middle. */
const priorityKeys: Readonly<Record<string, number>> = { inbox: 1, backfill: 5 };

/** Whether a guardrail may hold a run: whoever starts a replay or a backfill looks at it anyway. */
function isHeldIf({ holdIf }: SyncConfig, { kind }: Pick<Run, "kind">): boolean {
  return holdIf !== undefined && kind === "sync";
}

/** The configuration that the workflow of a run needs. */
export function settingsOf(
  deps: Pick<Dependencies, "config">,
  sync: SyncConfig,
  { kind, request }: Pick<Run, "kind" | "request">,
): RunSettings {
  const { chunksPerRun, heartbeatTimeoutMs, scheduleToStartMs, retryInitialMs, retryMaxMs } =
    deps.config.advanced;
  return {
    mode: request.mode ?? sync.mode,
    lightweightPartsMax: sync.lightweightPartsMax,
    chunksPerRun,
    heartbeatTimeoutMs,
    scheduleToStartMs,
    retryInitialMs,
    retryMaxMs,
    consentMs: isHeldIf(sync, { kind }) ? heldMsMax : undefined,
    searchAttribute: deps.config.temporal.searchAttribute,
    priority: { priorityKey: priorityKeys[kind] ?? 3, fairnessKey: sync.name },
  };
}

/**
 * Opens a run: makes all checks that read no rows, takes the send lock and stores where the run begins. Twice is once:
 * the run is stored by its id, and gets its own lock again.
 */
export function createOpenRun(deps: Dependencies): (input: OpenRunInput) => Promise<OpenedRun> {
  return async (input) =>
    await attempt(async ({ signal }) => {
      const { state, target } = deps;
      const sync = syncOf(deps, input.sync);
      const source = connectorOf(deps, sync.connector);
      const { configHash } = sync;
      const opened = await state.openRun({
        ...input,
        target,
        temporalId: deps.temporalId,
        placesAreLines: source.placesAreLines,
        mapping: mappingToKeep(sync),
        configHash,
        startedAt: isoNow(deps),
      });
      if (opened.firstRunId !== input.firstRunId) {
        throw new BusyError(`run ${input.runId} belongs to workflow ${opened.workflowId}`);
      }
      assertNotEnded(opened);
      assertSameTarget(deps, opened);
      const fence = await takeRunLock(deps, {
        ...input,
        name: sendLock(target, input.sync),
        what: `sync ${input.sync} is being sent`,
      });
      await endGoneSenders(deps);
      const at = { runId: input.runId, sync, source };
      const read = input.kind === "resend" ? undefined : source;
      await assertSameSides(deps, { sync, source: read, isKept: true }, signal);
      if (input.kind === "replay") {
        await placeReplay(deps, { run: opened, sync, source });
      } else if (input.kind === "resend") {
        await placeAtStart(deps, at);
      } else {
        if (input.kind === "sync") await warnOfMissedRuns(deps, opened, sync.schedule);
        await setRunRange(deps, at, signal);
      }
      await warnOfRestore(deps, opened);
      await assertMaySend(state, await currentKey(deps.config.api), deps.clock());
      if (input.kind !== "resend") await checkColumns(source, sync, { signal, mayName: false });
      await forgetUnfollowed(deps, sync, input.runId);
      deps.log.info(
        { run: input.runId, sync: sync.name, workflow: input.workflowId },
        "run opened",
      );
      const settings = settingsOf(deps, sync, input);
      const isResend = input.kind === "resend";
      const filesAt = isResend ? await hostOfDoubts(deps, sync.name) : undefined;
      return {
        runId: input.runId,
        storeId: state.storeId,
        configHash,
        fence,
        hostQueue: await takeHost(deps, { sync: sync.name, runId: input.runId, filesAt }),
        settings,
      };
    });
}

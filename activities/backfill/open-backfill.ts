import { assertSameSides } from "../../connectors/same-sides.ts";
import { checkColumns, connectorOf } from "../../connectors/source.ts";
import { requestOf } from "../../src/backfill/input/read-input.ts";
import { planMoved } from "../../src/backfill/make-plan.ts";
import type { BackfillPlan } from "../../src/backfill/plan.ts";
import { ConfigChangedError, ConfigError, WrongStoreError } from "../../src/errors.ts";
import { assertMaySend } from "../../src/service/key-limits.ts";
import { currentKey } from "../../src/service/rotating-key.ts";
import { sendLock } from "../../src/state/contract/runs/locks.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import { attempt } from "../attempt.ts";
import { assertNotEnded, heldRunOf, syncOf, type Dependencies } from "../dependencies.ts";
import type { BackfillRef, OpenBackfillInput, OpenedBackfill, RunRef } from "../inputs.ts";
import { settingsOf } from "../run/open-run.ts";
import { takeRunLock } from "../run/take-lock.ts";
import { asOf, planFor } from "./plan-backfill.ts";

async function plannedRun({ state, target }: Dependencies, { runId }: BackfillRef): Promise<Run> {
  const run = await state.run(runId);
  if (run !== undefined && run.target !== target) {
    throw new ConfigError(
      `backfill ${runId} was planned for ${run.target}, and this worker sends to ${target}`,
      { field: "api.base_url", hint: "start it again" },
    );
  }
  if (run !== undefined) return run;
  throw new WrongStoreError(`backfill ${runId} was planned on another state store`, {
    hint: "let only workers of one `state:` poll a task queue (temporal.task_queue)",
  });
}

async function planOf({ state }: Dependencies, runId: string): Promise<BackfillPlan> {
  const stored = await state.plan(runId);
  if (stored !== undefined) return stored.plan;
  throw new WrongStoreError(`the plan of backfill ${runId} is not in the state store`, {
    hint: "the store was emptied or restored meanwhile: start the backfill again",
  });
}

function changedSince({ runId, sync }: Run): ConfigChangedError {
  return new ConfigChangedError(
    `the configuration of sync ${sync} changed since backfill ${runId} was planned`,
    {
      field: `syncs.${sync}`,
      hint: "start it again: this one ends here, with what it did committed",
    },
  );
}

/** Compares an approved plan with its source. A plan that still holds takes the source's current spans. */
async function planAgain(
  deps: Dependencies,
  at: { readonly runId: string; readonly raw: unknown; readonly approved: BackfillPlan },
  signal: AbortSignal,
): Promise<BackfillPlan | { readonly moved: string }> {
  const { runId, raw, approved } = at;
  const now = asOf(approved);
  const read = requestOf(deps, raw, now);
  if ("problem" in read) {
    return { moved: "the configuration as it is now does not understand the input" };
  }
  const again = { request: read.request, now, present: new Date(deps.now()) };
  const { warnings, ...made } = await planFor(deps, again, signal);
  const plan = { ...made.plan, planned_at: approved.planned_at };
  const moved = planMoved(approved, plan);
  if (moved !== undefined) return { moved };
  const { placesAreLines } = connectorOf(deps, syncOf(deps, read.request.sync).connector);
  await deps.state.putPlan({ runId, placesAreLines, ...made, plan });
  if (warnings.length > 0) await deps.state.addWarnings({ runId, warnings });
  return await planOf(deps, runId);
}

/**
 * Takes the send lock for a backfill, before its lanes begin and whenever they continue. While nothing was staged, the
 * plan is compared with the source once the lock is held; a plan that no longer holds releases the lock.
 */
export function createOpenBackfill(
  deps: Dependencies,
): (input: OpenBackfillInput) => Promise<OpenedBackfill> {
  const { state, target } = deps;
  return async ({ approved, raw, ...ref }) =>
    await attempt(async ({ signal }) => {
      const { runId } = ref;
      const run = await plannedRun(deps, ref);
      assertNotEnded(run);
      const sync = syncOf(deps, run.sync);
      await assertMaySend(state, await currentKey(deps.config.api), deps.clock());
      const name = sendLock(target, run.sync);
      const isBegun = approved === undefined;
      const what = `sync ${run.sync} is being sent`;
      const fence = await takeRunLock(deps, { kind: run.kind, ...ref, name, isBegun, what });
      const source = connectorOf(deps, sync.connector);
      await assertSameSides(deps, { sync, source, isKept: true, isBegun }, signal);
      const held = isBegun
        ? await planOf(deps, runId)
        : await planAgain(deps, { runId, raw, approved }, signal);
      if ("moved" in held) {
        // An attempt that stood still counts what its successor, in the same holding, has begun to send.
        await state.releaseLock({ name, runId, fence, keptIfStaged: true });
        return held;
      }
      // A backfill that was begun with one mapping is not continued with another.
      if (held.config_hash !== sync.configHash) throw changedSince(run);
      await checkColumns(source, sync, { signal, mayName: false });
      if (sync.send === "all") await state.forgetFingerprints({ target, sync: sync.name });
      return {
        runId,
        storeId: state.storeId,
        configHash: sync.configHash,
        fence,
        hostQueue: deps.hostQueue,
        settings: settingsOf(deps, sync, run),
        lanes: held.lanes.length,
        plan: held,
        advanceCheckpoint: run.request.advanceCheckpoint === true,
      };
    });
}

/** Releases the send lock of a backfill, for a pause or for another run. */
export function createYieldBackfill(deps: Dependencies): (input: RunRef) => Promise<object> {
  const { state, target } = deps;
  return async (ref) =>
    await attempt(async () => {
      // A stalled attempt must not take the lock from a later holding.
      const { runId, sync, fence } = await heldRunOf(deps, ref);
      // With it go its staged chunks that are not committed.
      await state.releaseLock({ name: sendLock(target, sync), runId, fence });
      return {};
    });
}

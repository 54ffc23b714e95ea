import type { Source } from "../../connectors/contract/connector.ts";
import { assertMayRepeat } from "../../connectors/replayable.ts";
import { assertSameSides } from "../../connectors/same-sides.ts";
import { readRequestOf, connectorOf } from "../../connectors/source.ts";
import { requestOf } from "../../src/backfill/input/read-input.ts";
import type { BackfillRequest } from "../../src/backfill/input/schema.ts";
import { makePlan } from "../../src/backfill/make-plan.ts";
import type { BackfillPlan } from "../../src/backfill/plan.ts";
import { isOneEach, repeatsOf } from "../../src/backfill/repeats.ts";
import { assertNothingIsOpen } from "../../src/backfill/span.ts";
import type { SyncConfig } from "../../src/config/config.ts";
import { ConfigError } from "../../src/errors.ts";
import { mappingToKeep } from "../../src/mapping/load.ts";
import { sendLock } from "../../src/state/contract/runs/locks.ts";
import { attempt } from "../attempt.ts";
import { assertNotEnded, isoNow, syncOf, type Dependencies } from "../dependencies.ts";
import type { BackfillRef, PlanBackfillInput, PlannedBackfill } from "../inputs.ts";
import { assertMayAdvance } from "../run/advance-checkpoint.ts";

/**
 * When several rows are versions of one record, the newest must be sent last. Only a backfill that continues to the
 * present, in order, ends with it. Fingerprints leave out the records that another run sent meanwhile.
 * @throws {ConfigError} the backfill would end with an older version.
 */
async function assertEndsWithNewest(
  { state, target }: Pick<Dependencies, "state" | "target">,
  at: {
    readonly sync: SyncConfig;
    readonly source: Source;
    readonly request: BackfillRequest;
    readonly present: Date;
  },
  signal: AbortSignal,
): Promise<void> {
  const { sync, source, request, present } = at;
  const { keys, limit, to } = request;
  const endsNow = to === undefined || ("time" in to && to.time >= present);
  if (source.restart?.(sync.connectorConfig) === "each-run") return;
  if (keys === undefined && limit === undefined && endsNow && sync.send !== "all") return;
  const isOften = (await repeatsOf(sync, source, signal)) === "often";
  // Even where no key shows it, an earlier run may have noticed that it sent a record twice.
  const isNoticed = async (): Promise<boolean> =>
    !(await isOneEach(sync, source, signal)) &&
    (await state.hasRepeats({ target, sync: sync.name }));
  if (!isOften && !(await isNoticed())) return;
  const what =
    `several rows of sync ${sync.name} make one record: an older one could overwrite what the ` +
    "service holds of it";
  if (sync.send === "all") {
    throw new ConfigError(what, {
      field: "sync",
      hint: `\`sluice state reset ${sync.name}\` sends all of them again, in order`,
    });
  }
  const field = keys === undefined ? (limit === undefined ? "to" : "limit") : "keys";
  const hint = `leave out "${field}": a backfill that continues to the present ends with the newest row of each`;
  throw new ConfigError(what, { field, hint });
}

/** The time that the input of a plan was read as of. */
export function asOf({ as_of: first, planned_at: planned }: BackfillPlan): Date {
  return new Date(first ?? planned);
}

/** Plans a backfill as asked for at `now`; `present` is later when it is planned again. Writes and sends nothing. */
export async function planFor(
  deps: Dependencies,
  {
    request,
    now,
    present = now,
  }: { readonly request: BackfillRequest; readonly now: Date; readonly present?: Date },
  signal: AbortSignal,
): ReturnType<typeof makePlan> {
  const { state, target } = deps;
  const sync = syncOf(deps, request.sync);
  const source = connectorOf(deps, sync.connector);
  assertMayRepeat(sync, source);
  await assertEndsWithNewest(deps, { sync, source, request, present }, signal);
  // The span looks again, but not where it ends at a time that is past.
  if (request.advanceCheckpoint)
    assertNothingIsOpen(await source.readLimit?.(readRequestOf(sync, signal)));
  return await makePlan({ sync, source, request, state, target, now, present, signal });
}

/** Plans a backfill and freezes the plan in the store, together with its run. */
async function freezePlan(
  deps: Dependencies,
  at: {
    readonly ref: BackfillRef;
    readonly request: BackfillRequest;
    readonly now: Date;
    readonly present: Date;
  },
  signal: AbortSignal,
): Promise<BackfillPlan> {
  const { state, target } = deps;
  const { ref, request } = at;
  const sync = syncOf(deps, request.sync);
  const source = connectorOf(deps, sync.connector);
  const before = await state.run(ref.runId);
  const checkpoint = await state.checkpoint({ target, sync: sync.name });
  assertMayAdvance(request, { sync, source, checkpoint });
  await assertSameSides(deps, { sync, source, isKept: false }, signal);
  const { warnings, ...made } = await planFor(deps, at, signal);
  const { mode, limit, keys, advanceCheckpoint, note } = request;
  const opened = await state.openRun({
    ...ref,
    sync: sync.name,
    target,
    kind: "backfill",
    temporalId: deps.temporalId,
    configHash: sync.configHash,
    mapping: mappingToKeep(sync),
    request: {
      mode,
      limit,
      keys: keys?.slice(),
      full: request.send === "all",
      advanceCheckpoint,
      note,
    },
    startedAt: isoNow(deps),
  });
  assertNotEnded(opened);
  // A backfill that was reset may have begun to send, and now waits for a person again: release its lock, so that
  // nobody else waits for that. A stalled attempt whose backfill has continued must not.
  const { runId, fence } = opened;
  if (fence === before?.fence) {
    await state.releaseLock({ name: sendLock(target, sync.name), runId, fence });
  }
  const { placesAreLines } = source;
  await state.putPlan({ runId: ref.runId, placesAreLines, ...made });
  if (warnings.length > 0) await state.addWarnings({ runId: ref.runId, warnings });
  return made.plan;
}

/** Whether a plan continues without consent, and why or why not. */
function consentOf(
  { approve, sync: name }: BackfillRequest,
  { rows }: BackfillPlan,
  { approveUpTo }: SyncConfig,
): Pick<Exclude<PlannedBackfill, { problem: string }>, "approval" | "isApproved"> {
  if (approve === "auto") {
    return { isApproved: true, approval: 'it continues by itself: `"approve": "auto"`' };
  }
  if (rows !== null && rows <= approveUpTo) {
    const approval = `it continues by itself: at most ${approveUpTo} rows (\`syncs.${name}.approve.auto_up_to\`)`;
    return { isApproved: true, approval };
  }
  return { isApproved: false, approval: "it waits for the update `approve` or `discard`" };
}

/** Reads the input of a backfill and plans it; reports all problems of the input at once. */
export function createPlanBackfill(
  deps: Dependencies,
): (input: PlanBackfillInput) => Promise<PlannedBackfill> {
  return async ({ raw, ...ref }) =>
    await attempt(async ({ signal }) => {
      try {
        const present = new Date(deps.now());
        // A plan that did not hold is made again: "yesterday" still means the day before it was asked for.
        const before = await deps.state.plan(ref.runId);
        const now = before === undefined ? present : asOf(before.plan);
        const read = requestOf(deps, raw, now);
        if ("problem" in read) return read;
        const { request } = read;
        const plan = await freezePlan(deps, { ref, request, now, present }, signal);
        return { plan, ...consentOf(request, plan, syncOf(deps, request.sync)) };
      } finally {
        // A backfill that ends here leaves no wrong input in the start form; one that continues is left alone.
        deps.seedTemplate?.(ref.workflowId);
      }
    });
}

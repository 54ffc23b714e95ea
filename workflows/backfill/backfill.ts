import {
  ApplicationFailure,
  condition,
  continueAsNew,
  upsertMemo,
  workflowInfo,
} from "@temporalio/workflow";
import { z } from "zod";

import type { BackfillRef, OpenedBackfill, OpenedRun } from "../../activities/inputs.ts";
import { foreignRun, wrongInput } from "../../src/failure-types.ts";
import type { RunReport } from "../../src/report/report.ts";
import { cancelledBeforeNext, closingOf, end, endingOf, type Ending } from "../ending.ts";
import { approvalWaitMs } from "../limits.ts";
import {
  activitiesOf,
  advanceCheckpoint,
  openBackfill,
  planBackfill,
  yieldBackfill,
} from "../policies.ts";
import { fenced } from "../sync/progress.ts";
import { nameInSearch, showDetails } from "../sync/run-view.ts";
import { runRef, cleanUp } from "../sync/send-chunk.ts";
import { isRunOf, newRunId } from "../sync/sync-input.ts";
import { runLanes } from "./backfill-lanes.ts";
import { continuedBackfill } from "./backfill-state.ts";
import { BackfillView } from "./backfill-view.ts";

/** The result of an example run, from which the Web UI prefills the start form. */
export type BackfillTemplate = { readonly template: true };

const template = z.looseObject({ template: z.literal(true) });
const goingOn = z.looseObject({ continued: continuedBackfill });

/** A running backfill. */
type Backfill = {
  readonly view: BackfillView;
  readonly ref: BackfillRef;
  /** The input as typed, without the additions of continue-as-new. */
  readonly raw: unknown;
};

/** How an execution ended: the next one continues, or the run is closed. */
type Ended = { readonly kind: "continue" } | ({ readonly kind: "close" } & Ending);

/** How a stretch of lanes ended; `moved` if the plan no longer held, and nothing was sent. */
type Applied = Ended | { readonly kind: "moved" };

/** Continues a backfill that an earlier execution began, or begins one. */
function begin(raw: unknown): Backfill {
  const info = workflowInfo();
  const { workflowId, firstExecutionRunId: firstRunId } = info;
  const handedOn = goingOn.safeParse(raw).data;
  if (handedOn !== undefined) {
    const { continued, ...asked } = handedOn;
    const { run_id: runId, state, counts } = continued;
    if (!isRunOf("backfill", { run_id: runId, opened: { runId: state.run_id } }, firstRunId)) {
      throw ApplicationFailure.nonRetryable(wrongInput(foreignRun), "InvalidInput");
    }
    const view = new BackfillView(state, counts);
    return { view, raw: asked, ref: { runId, workflowId, firstRunId } };
  }
  const runId = newRunId("backfill", info);
  const view = new BackfillView({
    run_id: runId,
    phase: "planning",
    plan: null,
    approval: "",
    lanes: [],
    lanes_at_once: 1,
    is_paused: false,
    is_begun: false,
    rejects: [],
    notes: [],
    began_ms: null,
    rested_ms: 0,
  });
  return { view, raw, ref: { runId, workflowId, firstRunId } };
}

/** Plans, and asks for consent where needed; undefined when the backfill is to be sent. */
async function planAndAsk({ view, ref, raw }: Backfill): Promise<Ending | undefined> {
  const planned = await planBackfill({ ...ref, raw });
  if ("problem" in planned) {
    // The failure shows the problem with its quotes escaped: here it can be copied.
    showDetails(`### This input cannot be used\n\n${fenced(planned.problem)}`);
    throw ApplicationFailure.nonRetryable(planned.problem, "InvalidInput");
  }
  view.planned(planned.plan, planned);
  upsertMemo({ sluice_sync: planned.plan.sync, sluice_run: ref.runId });
  if (planned.isApproved) return undefined;
  const isDecided = await condition(() => view.decision !== undefined, approvalWaitMs);
  if (view.decision === "approve") return undefined;
  if (!isDecided) view.note("nobody approved it in time: it ends as discarded");
  return { closing: { outcome: "discarded" } };
}

function isTimeToContinue({ settings }: OpenedRun, staged: number): boolean {
  return workflowInfo().continueAsNewSuggested || staged >= (settings.chunksPerRun ?? Infinity);
}

/** Opens the run; undefined if there are no credits: then it is paused until a person who got some resumes it. */
async function openOrPause({ view, ref, raw }: Backfill): Promise<OpenedBackfill | undefined> {
  const { plan, is_begun: isBegun } = view.state;
  try {
    return await openBackfill({ ...ref, raw, approved: isBegun ? undefined : (plan ?? undefined) });
  } catch (error) {
    const { outcome, failure } = closingOf(error);
    if (outcome !== "credits_exhausted") throw error;
    view.change({ phase: "running" });
    view.pause(`${failure?.message ?? "credits are used up"}; \`resume\` when there are more`);
    return undefined;
  }
}

/** Holds the lock and runs lanes until all ended; releases it for pauses and for a run that waits for it. */
async function apply({ view, ref, raw }: Backfill): Promise<Applied> {
  const stagedBefore = view.run.progress.counts.staged_chunks;
  for (;;) {
    await view.untilResumed();
    if (view.state.phase === "waiting") view.change({ phase: "opening" });
    const opened = await openOrPause({ view, ref, raw });
    if (opened === undefined) continue;
    if ("moved" in opened) {
      view.note(`the plan does not hold any more: ${opened.moved}`);
      view.change({ phase: "planning" });
      return { kind: "moved" };
    }
    view.opened = opened;
    if (opened.settings.searchAttribute) nameInSearch(view.run.progress.sync);
    const { is_begun: wasBegun, is_paused: isPaused } = view.state;
    if (!wasBegun) view.replan(opened.plan);
    if (view.state.began_ms === null) view.change({ began_ms: Date.now(), rested_ms: 0 });
    // One that was paused while it waited for the lock stages nothing: its source may move before it continues.
    view.change({ phase: "running", is_begun: wasBegun || !isPaused });
    view.isLockWanted = false;
    const isTime = (): boolean =>
      isTimeToContinue(opened, view.run.progress.counts.staged_chunks - stagedBefore);
    await runLanes(view, opened, isTime);
    const isOver = view.state.lanes.every(({ state }) => state === "done" || state === "failed");
    if (isOver || view.isBroken) {
      await cleanUp(activitiesOf(opened), { runId: ref.runId });
      const ending = closingOfLanes(view);
      if (opened.advanceCheckpoint && ending.closing.outcome === "done") {
        await advanceCheckpoint(runRef(opened));
      }
      return { kind: "close", ...ending };
    }
    if (view.mustStop) {
      if (view.isLockWanted) view.note("another run goes first");
      await yieldBackfill(runRef(opened));
    }
    if (isTime()) return { kind: "continue" };
  }
}

function closingOfLanes({ state, run: { progress } }: BackfillView): Ending {
  const { mode, mode_reason: reason } = progress;
  const chosen = mode === null ? undefined : { mode, reason: reason ?? "" };
  const failed = state.lanes.find((lane) => lane.state === "failed");
  if (failed === undefined) return { closing: { outcome: "done", mode: chosen } };
  const { message = "it failed", code = "Unexpected", hint } = failed.failure ?? {};
  const failure = { code, message: `lane ${failed.lane}: ${message}`, hint };
  return { closing: { outcome: "failed", failure, mode: chosen } };
}

async function execute(made: Backfill): Promise<Ended> {
  const { view } = made;
  try {
    for (;;) {
      if (!view.state.is_begun) {
        const ending = await planAndAsk(made);
        if (ending !== undefined) return { kind: "close", ...ending };
      }
      const applied = await apply(made);
      if (applied.kind !== "moved") return applied;
    }
  } catch (error) {
    // The input cannot be used: nothing was opened, and the error says everything.
    if (error instanceof ApplicationFailure && view.state.plan === null) throw error;
    const { opened, run } = view;
    if (opened !== undefined) await cleanUp(activitiesOf(opened), { runId: run.progress.run_id });
    return { kind: "close", ...endingOf(error) };
  }
}

/**
 * Sends a span of a sync again: plans, waits for a person's consent where it is large, and sends its lanes side by
 * side, with receipts for every chunk. The nightly run's checkpoint stays, unless `advance_checkpoint` is set.
 */
export async function backfill(raw: unknown): Promise<RunReport | BackfillTemplate> {
  if (template.safeParse(raw).success) {
    showDetails(
      '### Nothing was sent\n\nThis is an example: take out `"template": true` and start it.',
    );
    return { template: true };
  }
  const made = begin(raw);
  const { view } = made;
  const ended = await execute(made);
  const ending = ended.kind === "close" ? ended : await cancelledBeforeNext();
  if (ending !== undefined) {
    view.change({ phase: "ended" });
    return await end(view.run, ending);
  }
  const { state, run } = view;
  const continued = { run_id: state.run_id, state, counts: run.progress.counts };
  const asked = z.looseObject({}).parse(made.raw ?? {});
  return await continueAsNew<typeof backfill>({ ...asked, continued });
}

import { isCancellation } from "@temporalio/workflow";

import type { OpenedRun } from "../activities/inputs.ts";
import { laneTriesMax } from "../src/limits.ts";
import type { LaneState } from "./backfill-state.ts";
import type { BackfillView } from "./backfill-view.ts";
import { closingOf } from "./ending.ts";
import { withCommitted, withoutStaged, withStaged } from "./progress.ts";
import { transferBatch, type Transfer } from "./transfer.ts";

/** The lane's state as it is now: others change theirs meanwhile. */
function laneNow(view: BackfillView, lane: number): LaneState {
  const found = view.state.lanes.find((one) => one.lane === lane);
  if (found === undefined) throw new Error(`there is no lane ${lane}`);
  return found;
}

/** What a lane's transfer reports to: the counts of the whole run, and of its lane. */
function reportTo(view: BackfillView, lane: number, shouldStop: () => boolean): Transfer {
  const { run } = view;
  return {
    shouldStop,
    onMode: (mode) => {
      view.lane(lane, { mode });
      run.update({ mode: mode.mode, mode_reason: mode.reason });
    },
    onStaged: (staged) => {
      run.update({ counts: withStaged(run.progress.counts, staged) });
      view.lane(lane, { read: laneNow(view, lane).read + staged.counts.read });
    },
    onCommitted: (staged, { isLockWanted }) => {
      run.update({ counts: withCommitted(run.progress.counts, staged) });
      view.lane(lane, { sent: laneNow(view, lane).sent + staged.records });
      view.isLockWanted ||= isLockWanted;
    },
    onRestage: (dropped) => {
      run.update({ counts: dropped.reduce(withoutStaged, run.progress.counts) });
      const read = dropped.reduce((sum, { counts }) => sum + counts.read, 0);
      view.lane(lane, { read: laneNow(view, lane).read - read });
    },
    onPlace: () => undefined,
    waiting: (why) => {
      const text = why === null ? null : `lane ${lane}: ${why}`;
      if (text !== run.progress.waiting) run.update({ waiting: text });
    },
  };
}

/** Transfers one lane until it is done or to stop; a fault of its own ends it alone. @throws the cancellation. */
async function runLane(
  view: BackfillView,
  at: { readonly lane: number; readonly opened: OpenedRun },
  shouldStop: () => boolean,
): Promise<void> {
  const { lane, opened } = at;
  const { chunk, mode } = laneNow(view, lane);
  view.lane(lane, { state: "running" });
  try {
    const { kind, place } = await transferBatch(reportTo(view, lane, shouldStop), {
      opened,
      chunk,
      mode,
    });
    const state = kind === "done" ? "done" : "waiting";
    view.lane(lane, { state, chunk: place.chunk, mode: place.mode, failure: undefined });
  } catch (error) {
    if (isCancellation(error)) throw error;
    const { outcome, failure } = closingOf(error);
    const { failures } = laneNow(view, lane);
    if (outcome === "credits_exhausted") {
      view.lane(lane, { state: "waiting", failure });
      view.pause(`${failure?.message ?? "credits are used up"}; \`resume\` when there are more`);
      return;
    }
    const isLast = failures + 1 >= laneTriesMax;
    view.lane(lane, { state: isLast ? "failed" : "waiting", failures: failures + 1, failure });
    view.note(`lane ${lane} failed${isLast ? "" : ", and is begun again where it stopped"}`);
  }
}

/**
 * Runs the lanes that are not done, at most `lanes_at_once` side by side, until all are done or failed, or until they are to stop;
 * what is on its way when they stop is committed.
 * @throws the cancellation, after every lane has ended.
 */
export async function runLanes(
  view: BackfillView,
  opened: OpenedRun,
  isTimeToContinue: () => boolean,
): Promise<void> {
  const running = new Map<number, Promise<void>>();
  const cancellations: unknown[] = [];
  const mustStop = (): boolean => view.mustStop || isTimeToContinue();
  const shouldStop = (): boolean => mustStop() || running.size > view.state.lanes_at_once;
  const work = async (lane: number): Promise<void> => {
    try {
      await runLane(view, { lane, opened }, shouldStop);
    } catch (error) {
      cancellations.push(error);
    } finally {
      running.delete(lane);
    }
  };
  const startLanes = (): void => {
    const waiting = view.state.lanes.filter(({ state }) => state === "waiting");
    // One that failed is begun again when no other waits.
    for (const { lane } of waiting.toSorted((a, b) => a.failures - b.failures)) {
      const isFull = running.size >= view.state.lanes_at_once;
      if (isFull || mustStop() || cancellations.length > 0) return;
      running.set(lane, work(lane));
    }
  };
  for (startLanes(); running.size > 0; startLanes()) await Promise.race(running.values());
  if (cancellations.length > 0) throw cancellations[0];
}

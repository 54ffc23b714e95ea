import { CancellationScope, condition, isCancellation } from "@temporalio/workflow";

import type { OpenedRun, StageResult } from "../../activities/inputs.ts";
import { asCancel, closingOf } from "../ending.ts";
import { laneTriesMax } from "../limits.ts";
import { activitiesOf } from "../policies.ts";
import { withCommitted, withoutStaged, withStaged } from "../sync/progress.ts";
import { runRef } from "../sync/send-chunk.ts";
import { transferBatch, type Transfer } from "../sync/transfer.ts";
import type { LaneState } from "./backfill-state.ts";
import type { BackfillView } from "./backfill-view.ts";

/** The current state of a lane; other lanes change theirs meanwhile. */
function laneNow(view: BackfillView, lane: number): LaneState {
  const found = view.state.lanes.find((one) => one.lane === lane);
  if (found === undefined) throw new Error(`there is no lane ${lane}`);
  return found;
}

/** Where a lane's transfer reports: to the counts of the whole run, and to those of its lane. */
type Reporting = Transfer & {
  /** Takes back the counts of staged chunks that are not committed, because they are read again. */
  readonly giveUp: () => void;
};

function reportTo(view: BackfillView, lane: number, shouldStop: () => boolean): Reporting {
  const { run } = view;
  let underWay: StageResult[] = [];
  const giveUp = (): void => {
    run.update({ counts: underWay.reduce(withoutStaged, run.progress.counts) });
    const read = underWay.reduce((sum, { counts }) => sum + counts.read, 0);
    view.lane(lane, { read: laneNow(view, lane).read - read });
    underWay = [];
  };
  return {
    giveUp,
    shouldStop,
    onMode: (mode) => {
      view.lane(lane, { mode });
      run.update({ mode: mode.mode, mode_reason: mode.reason });
    },
    onStaged: (staged) => {
      underWay.push(staged);
      run.update({ counts: withStaged(run.progress.counts, staged) });
      view.lane(lane, { read: laneNow(view, lane).read + staged.counts.read });
    },
    onCommitted: (staged, { isLockWanted, rejects }) => {
      run.update({ counts: withCommitted(run.progress.counts, staged) });
      underWay = underWay.filter((other) => other !== staged);
      // Chunks are committed in order: whatever happens to the next one, the lane continues with it.
      const { chunk, sent } = laneNow(view, lane);
      view.change({ rejects });
      view.lane(lane, { chunk: chunk + 1, sent: sent + staged.records });
      view.isLockWanted ||= isLockWanted;
    },
    onRestage: giveUp,
    onPlace: () => undefined,
    waiting: (call, why) => view.waiting(call, why === null ? null : `lane ${lane}: ${why}`),
  };
}

/** Faults that every lane shares, or that stop the run: none is worth another try. */
const faultsOfRun: ReadonlySet<string> = new Set([
  "AuthFailed",
  "ConfigChanged",
  "ConfigError",
  "Superseded",
  "TooManyRejects",
  "WrongStore",
]);

/** The run at the host chosen for the lane: each lane has its own, so that several hosts stage at once. */
async function atHostOf(
  { state }: BackfillView,
  { lane, opened }: { readonly lane: number; readonly opened: OpenedRun },
): Promise<OpenedRun> {
  const over = state.lanes
    .filter((other) => other.state === "done" || other.state === "failed")
    .map((other) => other.lane);
  const { chooseHost } = activitiesOf(opened);
  return { ...opened, ...(await chooseHost({ ...runRef(opened), lane, over })) };
}

/** Transfers one lane until it is done or must stop; its own fault ends only this lane. @throws the cancellation. */
async function runLane(
  view: BackfillView,
  at: { readonly lane: number; readonly opened: OpenedRun },
  shouldStop: () => boolean,
): Promise<void> {
  const { lane } = at;
  const { chunk, mode } = laneNow(view, lane);
  view.lane(lane, { state: "running" });
  const reporting = reportTo(view, lane, shouldStop);
  try {
    const opened = await atHostOf(view, at);
    const { kind, place } = await transferBatch(reporting, { opened, chunk, mode });
    const state = kind === "done" ? "done" : "waiting";
    view.lane(lane, { state, chunk: place.chunk, mode: place.mode, failure: undefined });
  } catch (thrown) {
    const error = asCancel(thrown);
    if (isCancellation(error)) throw error;
    reporting.giveUp();
    const { outcome, failure } = closingOf(error);
    const { failures } = laneNow(view, lane);
    if (outcome === "credits_exhausted") {
      view.lane(lane, { state: "waiting", failure });
      view.pause(`${failure?.message ?? "credits are used up"}; \`resume\` when there are more`);
      return;
    }
    const isOfRun = faultsOfRun.has(failure?.code ?? "");
    if (isOfRun) view.isBroken = true;
    const isLast = isOfRun || failures + 1 >= laneTriesMax;
    view.lane(lane, { state: isLast ? "failed" : "waiting", failures: failures + 1, failure });
    view.note(`lane ${lane} failed${isLast ? "" : ", and is begun again where it stopped"}`);
  }
}

/**
 * Runs the lanes that are not done, at most `lanes_at_once` side by side, until all are done or failed, or must stop.
 * When they stop, the chunks on their way are committed.
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
  /** The lanes that may begin now. */
  const ready = (): LaneState[] => {
    if (mustStop() || cancellations.length > 0) return [];
    const waiting = view.state.lanes.filter(
      ({ lane, state }) => state === "waiting" && !running.has(lane),
    );
    // A lane that failed begins again when no other waits.
    const inOrder = waiting.toSorted((a, b) => a.failures - b.failures);
    return inOrder.slice(0, Math.max(0, view.state.lanes_at_once - running.size));
  };
  for (;;) {
    for (const { lane } of ready()) running.set(lane, work(lane));
    const { size } = running;
    if (size === 0) break;
    // A person may let more lanes work, or resume them, while others work on. A cancel is heard by the lanes.
    await CancellationScope.nonCancellable(
      async () => await condition(() => running.size < size || ready().length > 0),
    );
  }
  if (cancellations.length > 0) throw cancellations[0];
}

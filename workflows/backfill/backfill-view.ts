import { condition, defineQuery, setHandler } from "@temporalio/workflow";
import { z } from "zod";

import type { OpenedRun } from "../../activities/inputs.ts";
import type { BackfillPlan } from "../../src/backfill/plan.ts";
import { lanesMax, runWarningsMax } from "../../src/limits.ts";
import { Waits } from "../failures.ts";
import { noCounts, type Progress, type ProgressCounts } from "../sync/progress.ts";
import { RunView } from "../sync/run-view.ts";
import { onUpdate, refusal } from "../updates.ts";
import { backfillDetails } from "./backfill-details.ts";
import { laneStatesOf, type BackfillState, type LaneState } from "./backfill-state.ts";

const planQuery = defineQuery<BackfillPlan | null>("plan");

/** The input of `set_lanes`: a number, or `{"lanes": 2}`. */
const lanesInput = z.union([
  z.int().min(1).max(lanesMax),
  z.strictObject({ lanes: z.int().min(1).max(lanesMax) }).transform(({ lanes }) => lanes),
]);

/** The plan that an approval is for. Without it, as a person gives it in the Web UI, it is for whichever plan waits. */
const namedPlan = z.looseObject({ planned_at: z.string() });

const pausedText = "paused: `sluice resume` or the update `resume` continues it";

const notReadyText = "the plan is not ready: look at the details again";

/** The visible side of a backfill: its state, the details and queries that show it, and its updates in the Web UI. */
export class BackfillView {
  state: BackfillState;
  /** What a person decided about the plan; undefined until then. */
  decision: "approve" | "discard" | undefined;
  /** Whether another run waits for the send lock. */
  isLockWanted = false;
  /** Whether something failed that is not a lane's own: then no lane continues. */
  isBroken = false;
  /** The run as it was last opened: it may have staged files. */
  opened: OpenedRun | undefined;
  readonly run: RunView;
  readonly #waits = new Waits();

  constructor(state: BackfillState, counts: ProgressCounts = noCounts) {
    this.state = state;
    const mode = state.lanes.find((lane) => lane.mode !== undefined)?.mode;
    const progress: Progress = {
      run_id: state.run_id,
      sync: state.plan?.sync ?? "backfill",
      mode: mode?.mode ?? null,
      mode_reason: mode?.reason ?? null,
      counts,
      waiting: state.is_paused ? pausedText : null,
      report: null,
    };
    this.run = new RunView(progress, (now) => backfillDetails(now, this.state, Date.now()));
    this.#listen();
  }

  change(change: Partial<BackfillState>): void {
    this.state = { ...this.state, ...change };
    this.run.update({ sync: this.state.plan?.sync ?? "backfill" });
  }

  lane(lane: number, change: Partial<LaneState>): void {
    const lanes = this.state.lanes.map((one) => (one.lane === lane ? { ...one, ...change } : one));
    this.change({ lanes });
  }

  /** Notes what happened, where a person reads it: the Web UI closes the dialog of an update at once. */
  note(text: string): void {
    const at = new Date(Date.now()).toISOString().slice(0, 19).replace("T", " ");
    this.change({ notes: [...this.state.notes, `${at} ${text}`].slice(-runWarningsMax) });
  }

  /** Shows a plan that waits for a decision. */
  planned(
    plan: BackfillPlan,
    { approval, isApproved }: { readonly approval: string; readonly isApproved: boolean },
  ): void {
    this.decision = isApproved ? "approve" : undefined;
    const lanes = laneStatesOf(plan);
    this.change({ phase: "waiting", plan, approval, lanes, lanes_at_once: lanes.length });
    this.run.update({ needs_approval: !isApproved });
  }

  /** Takes over the plan as it holds when the lanes begin: it may have another number of lanes. */
  replan(plan: BackfillPlan): void {
    const lanes = laneStatesOf(plan);
    const lanesAtOnce = Math.min(this.state.lanes_at_once, lanes.length);
    this.change({ plan, lanes, lanes_at_once: lanesAtOnce });
  }

  /** Whether the lanes must stop after their next chunk. */
  get mustStop(): boolean {
    return this.state.is_paused || this.isLockWanted || this.isBroken;
  }

  pause(why: string): void {
    if (this.state.is_paused) return;
    this.change({ is_paused: true });
    this.#showWaiting();
    this.note(`paused: ${why}`);
  }

  /** Notes what a call of a lane waits for; null once it moves. */
  waiting(call: symbol, why: string | null): void {
    this.#waits.note(call, why);
    this.#showWaiting();
  }

  /** Shows what the lanes wait for; the text of a pause stays until the pause ends. */
  #showWaiting(): void {
    const waiting = this.state.is_paused ? pausedText : this.#waits.shown;
    if (waiting !== this.run.progress.waiting) this.run.update({ waiting });
  }

  /** Waits until the backfill is not paused. */
  async untilResumed(): Promise<void> {
    if (!this.state.is_paused) return;
    const sinceMs = Date.now();
    await condition(() => !this.state.is_paused);
    this.change({ rested_ms: this.state.rested_ms + Date.now() - sinceMs });
  }

  #listen(): void {
    setHandler(planQuery, () => this.state.plan, { description: "What the backfill will do" });
    onUpdate("approve", {
      description: "Send what the plan says",
      validator: (input) => {
        this.#assertWaiting();
        this.#assertNamed(input);
      },
      handler: () => this.#decide("approve", "approved by a person"),
    });
    onUpdate("discard", {
      description: "End it; nothing is sent",
      validator: () => this.#assertWaiting(),
      handler: () => this.#decide("discard", "discarded by a person"),
    });
    onUpdate("pause", {
      description: "Pause each lane after its next chunk",
      validator: () => this.#assertRunning(false),
      handler: () => this.pause("by a person"),
    });
    onUpdate("resume", {
      description: "Continue after a pause",
      validator: () => this.#assertRunning(true),
      handler: () => {
        this.change({ is_paused: false });
        this.#showWaiting();
        this.note("resumed by a person");
      },
    });
    onUpdate("set_lanes", {
      description: 'How many lanes work at once: {"lanes": 2}',
      validator: (input) => this.#assertLanes(input),
      handler: (input) => {
        const lanes = Math.min(lanesInput.parse(input), this.state.lanes.length);
        this.change({ lanes_at_once: lanes });
        this.note(`at most ${lanes} lanes at once, by a person`);
      },
    });
  }

  #decide(decision: "approve" | "discard", text: string): void {
    this.decision = decision;
    this.run.update({ needs_approval: false });
    this.note(text);
  }

  #assertLanes(input: unknown): void {
    if (this.state.phase === "ended") throw refusal("the backfill has ended");
    // A plan begins with all of its lanes.
    if (this.state.phase === "planning") throw refusal(notReadyText);
    if (lanesInput.safeParse(input).success) return;
    throw refusal(`say how many lanes, from 1 to ${lanesMax}: {"lanes": 2}`);
  }

  #assertWaiting(): void {
    const { phase } = this.state;
    if (phase === "planning") throw refusal(notReadyText);
    if (phase === "ended") throw refusal("the backfill has ended");
    if (phase === "opening")
      throw refusal("it was decided, and is about to begin; a cancel ends it");
    if (phase === "running" || this.decision !== undefined) {
      throw refusal("it was decided before; `pause` stops it for a while, a cancel ends it");
    }
  }

  #assertNamed(input: unknown): void {
    const named = namedPlan.safeParse(input).data;
    if (named === undefined || named.planned_at === this.state.plan?.planned_at) return;
    throw refusal("that is not the plan that waits now: look at the details again");
  }

  #assertRunning(isPaused: boolean): void {
    const { phase, is_paused: isNow } = this.state;
    if (phase !== "running") {
      throw refusal(`there is nothing to ${isPaused ? "resume" : "pause"}: nothing is being sent`);
    }
    if (isNow !== isPaused) throw refusal(isNow ? "it is paused already" : "it is not paused");
  }
}

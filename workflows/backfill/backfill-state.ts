import { z } from "zod";

import type { RejectCount } from "../../activities/inputs.ts";
import type { BackfillPlan } from "../../src/backfill/plan.ts";
import { firstChunkOf } from "../../src/lane-of.ts";
import type { RunFailure } from "../../src/state/contract/runs/runs.ts";
import type { ChosenMode } from "../../src/text/choose-mode.ts";
import type { ProgressCounts } from "../sync/progress.ts";

/** The state of one lane. */
export type LaneState = {
  /** From 1. */
  readonly lane: number;
  readonly state: "waiting" | "running" | "done" | "failed";
  /** The chunk that it continues with. */
  readonly chunk: number;
  readonly mode?: ChosenMode | undefined;
  readonly read: number;
  readonly sent: number;
  /** How often it has failed. */
  readonly failures: number;
  /** The last failure. */
  readonly failure?: RunFailure | undefined;
};

/** The state of a backfill, as its workflow keeps it and continue-as-new passes it on: names and numbers only (I4). */
export type BackfillState = {
  readonly run_id: string;
  /** `opening` lasts from the consent until it holds the send lock. */
  readonly phase: "planning" | "waiting" | "opening" | "running" | "ended";
  readonly plan: BackfillPlan | null;
  /** Why it continues by itself, or that it does not. */
  readonly approval: string;
  readonly lanes: readonly LaneState[];
  /** How many lanes work at once, at most. */
  readonly lanes_at_once: number;
  readonly is_paused: boolean;
  /** Whether lanes have begun: then its plan is no longer compared with the source. */
  readonly is_begun: boolean;
  /** The rejects so far, the most frequent first. */
  readonly rejects: readonly RejectCount[];
  /** What people and other runs did to it, oldest first. */
  readonly notes: readonly string[];
  /** Unix ms at which its lanes began, and ms that they have rested since. */
  readonly began_ms: number | null;
  readonly rested_ms: number;
};

/** Passed on by continue-as-new; nobody types it. */
export const continuedBackfill = z.strictObject({
  run_id: z.string(),
  state: z.custom<BackfillState>((value) => typeof value === "object" && value !== null),
  counts: z.custom<ProgressCounts>((value) => typeof value === "object" && value !== null),
});

/** The lanes of a plan, before any of them began. */
export function laneStatesOf({ lanes }: BackfillPlan): LaneState[] {
  return lanes.map((_, index) => ({
    lane: index + 1,
    state: "waiting",
    chunk: firstChunkOf(index + 1),
    read: 0,
    sent: 0,
    failures: 0,
  }));
}

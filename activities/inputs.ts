import type { BackfillPlan } from "../src/backfill/plan.ts";
import type { ReadCounts } from "../src/report/counts.ts";
import type { RunFailure, RunRequest, Outcome } from "../src/state/contract/runs/runs.ts";

/**
 * Passed to every activity of a run: the run, and what a worker must have in common with the one that opened it
 * (`runOf`).
 */
export type RunRef = {
  readonly runId: string;
  readonly storeId: string;
  readonly configHash: string;
  readonly fence: number;
};

/** One staging of a chunk. */
export type StageRef = RunRef & { readonly chunk: number; readonly stage: number };

/** One part of a staging. */
export type PartRef = StageRef & { readonly part: number };

/** Input of `openRun`. */
export type OpenRunInput = {
  readonly sync: string;
  readonly kind: "inbox" | "replay" | "resend" | "sync";
  readonly runId: string;
  readonly workflowId: string;
  /** Run id of the workflow's first execution, which continue-as-new keeps. */
  readonly firstRunId: string;
  /** The time that its schedule started it for; undefined when a person did. */
  readonly nominalAt?: string | undefined;
  readonly request: RunRequest;
};

/** The configuration that a workflow needs: it has no environment of its own. */
export type RunSettings = {
  readonly mode: "auto" | "lightweight" | "heavyweight";
  readonly lightweightPartsMax: number;
  /** Continue as new after this many chunks; undefined leaves it to Temporal. */
  readonly chunksPerRun?: number | undefined;
  /** Events in its history from which on a run waits for no rate limit. @default `historyEventsMax`; tests set it */
  readonly historyEventsMax?: number | undefined;
  readonly heartbeatTimeoutMs: number;
  readonly scheduleToStartMs: number;
  readonly retryInitialMs: number;
  readonly retryMaxMs?: number | undefined;
  /**
   * How long a person has to agree to a run that may be held: it stages everything and is weighed before the first byte
   * leaves. Undefined for a run that nothing can hold.
   */
  readonly consentMs?: number | undefined;
  /** Whether to upsert the search attribute SluiceSync. */
  readonly searchAttribute: boolean;
  /**
   * Temporal's priority for the run's activities: pushed events go first, a backfill last, and syncs of one class share
   * evenly.
   */
  readonly priority: { readonly priorityKey: number; readonly fairnessKey: string };
};

/** Result of `openRun`. */
export type OpenedRun = RunRef & {
  readonly hostQueue: string;
  readonly settings: RunSettings;
  /** For a backfill. @default 1 */
  readonly lanes?: number | undefined;
};

/** Input of `chooseHost`. */
export type ChooseHostInput = RunRef & {
  /** The queue that the lane used until now; undefined where it begins. */
  readonly hostQueue?: string;
  /** @default 1 */
  readonly lane?: number | undefined;
  /** Lanes of this run that have ended. */
  readonly over?: readonly number[] | undefined;
};

/** The run of a backfill, and the workflow that it belongs to. */
export type BackfillRef = Pick<OpenRunInput, "firstRunId" | "runId" | "workflowId">;

/** Input of `planBackfill`: `raw` is whatever was typed into the Web UI. */
export type PlanBackfillInput = BackfillRef & { readonly raw: unknown };

/** Result of `planBackfill`: a plan, or why the input cannot be used. */
export type PlannedBackfill =
  | { readonly problem: string }
  | {
      readonly plan: BackfillPlan;
      /** Whether it continues by itself, and why or why not. */
      readonly isApproved: boolean;
      readonly approval: string;
    };

/** Input of `openBackfill`. */
export type OpenBackfillInput = PlanBackfillInput & {
  /** The approved plan, which must still hold; undefined when part of it was sent before. */
  readonly approved: BackfillPlan | undefined;
};

/** Result of `openBackfill`; `moved` says why its plan no longer holds. */
export type OpenedBackfill =
  | (OpenedRun & {
      /** As it holds now. */
      readonly plan: BackfillPlan;
      /** Whether the checkpoint follows when all of its lanes are done. */
      readonly advanceCheckpoint: boolean;
    })
  | { readonly moved: string };

/** Result of `commitChunk`. */
export type CommitResult = {
  /** Whether another run waits for the send lock, so that this one must yield it. */
  readonly isLockWanted: boolean;
  /** For a backfill: the rejects so far, the most frequent first. */
  readonly rejects: readonly RejectCount[];
};

/** A reason for rejects, as a person reads it, and how often it occurred in a run. */
export type RejectCount = { readonly reason: string; readonly count: number };

/** Result of `stageChunk`. */
export type StageResult = {
  readonly stage: number;
  readonly records: number;
  /** Number of lightweight bodies; 0 when a single record exceeds one. */
  readonly parts: number;
  readonly jsonBytes: number;
  readonly gzipBytes: number;
  readonly done: boolean;
  readonly counts: ReadCounts;
};

/** Input of `splitChunk`: leave out these records, or cut the part in two. */
export type SplitInput = PartRef & {
  readonly how:
    | {
        readonly without: readonly {
          readonly index: number;
          readonly field?: string | undefined;
        }[];
      }
    | { readonly halves: true; readonly why: "refused_by_service" | "too_large" | "service_fails" };
};

/** Input of `closeRun`. */
export type CloseRunInput = {
  readonly runId: string;
  readonly outcome: Extract<
    Outcome,
    "done" | "failed" | "cancelled" | "busy" | "credits_exhausted" | "discarded"
  >;
  readonly failure?: RunFailure | undefined;
  /** The mode chosen for the whole run and why; undefined when nothing was staged. */
  readonly mode?: { readonly mode: string; readonly reason: string } | undefined;
};

/** One notification about a run, to a receiver by its name (`NotifyConfig`). */
export type NotificationRef = {
  readonly runId: string;
  readonly target: string;
  /** The number of the hold that it is about; undefined when it is about the end of the run. */
  readonly hold?: number | undefined;
};

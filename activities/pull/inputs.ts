import type { PullAmounts } from "../../src/state/contract/pull/pull-runs.ts";
import type { RunRequest } from "../../src/state/contract/runs/runs.ts";
import type { RunRef, RunSettings } from "../inputs.ts";

/** Input of `openPull`. */
export type OpenPullInput = {
  readonly pull: string;
  /** What the workflow reads. The name stays, because workflows of an earlier version may be running. */
  readonly walks: "domains" | "search";
  readonly runId: string;
  readonly workflowId: string;
  /** Run id of the workflow's first execution, which continue-as-new keeps. */
  readonly firstRunId: string;
  /** The time that its schedule started it for; undefined when a person did. */
  readonly nominalAt?: string | undefined;
  /** With `full` a new round begins, even if the last one is unfinished. */
  readonly request: Pick<RunRequest, "full" | "limit">;
};

/** The configuration that the workflow of a pull needs. */
export type PullSettings = Pick<
  RunSettings,
  "heartbeatTimeoutMs" | "historyEventsMax" | "retryInitialMs" | "retryMaxMs" | "searchAttribute"
> & {
  /** Continue as new after this many activities; undefined leaves it to Temporal. */
  readonly stepsPerRun?: number | undefined;
};

/** Result of `openPull`. */
export type OpenedPull = RunRef & { readonly settings: PullSettings };

/** Result of `pullPages`: everything the run has done so far. */
export type PulledPages = {
  readonly amounts: PullAmounts;
  /** Domains of the round; 0 in a search. */
  readonly domains: number;
  /** Why there is nothing more to do in this run; null while there is. */
  readonly end: "done" | "calls_max" | "limit" | null;
};

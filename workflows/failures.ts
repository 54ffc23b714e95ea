import {
  ActivityFailure,
  ApplicationFailure,
  sleep,
  TimeoutFailure,
  workflowInfo,
} from "@temporalio/workflow";

import type { FailureFacts } from "../activities/failure.ts";
import type { RunSettings } from "../activities/inputs.ts";
import { historyEventsMax } from "./limits.ts";

/** The facts of an activity's failure that a workflow acts on. */
export type ActivityFault = {
  /** The class of fault: the codes of src/errors.ts, or `Unavailable` for a timeout. */
  readonly type: string;
  readonly message: string;
  readonly facts: FailureFacts;
};

function factsOf(details: readonly unknown[] | null | undefined): FailureFacts {
  const [facts] = details ?? [];
  return typeof facts === "object" && facts !== null ? facts : {};
}

/** Reads the failure of an activity; undefined if the error is something else. */
export function faultOf(error: unknown): ActivityFault | undefined {
  if (!(error instanceof ActivityFailure)) return undefined;
  const { cause } = error;
  if (cause instanceof ApplicationFailure) {
    return {
      type: cause.type ?? "Unexpected",
      message: cause.message,
      facts: factsOf(cause.details),
    };
  }
  if (cause instanceof TimeoutFailure) {
    const message = `${error.activityType} did not end in time (${cause.timeoutType})`;
    return { type: "Unavailable", message, facts: {} };
  }
  return undefined;
}

/** Whether no worker took an activity of a host within its schedule-to-start timeout. */
export function isHostAway(error: unknown): boolean {
  return (
    error instanceof ActivityFailure &&
    error.cause instanceof TimeoutFailure &&
    error.cause.timeoutType === "SCHEDULE_TO_START"
  );
}

/** Receives why a call does not move; null once it moves. Several calls may wait side by side. */
export type Waiting = (call: symbol, why: string | null) => void;

/** What the calls of a run wait for. */
export class Waits {
  readonly #texts = new Map<symbol, string>();

  note(call: symbol, why: string | null): void {
    this.#texts.delete(call);
    if (why !== null) this.#texts.set(call, why);
  }

  /** The text of the call that began to wait last, while others may move; null if no call waits. */
  get shown(): string | null {
    return [...this.#texts.values()].at(-1) ?? null;
  }
}

/** Where a wait is reported, and how to find out that it is in vain. */
export type WaitHooks = {
  readonly waiting: Waiting;
  /** Whether the host that does not take its work is gone for good; while it is only busy, it is waited for. */
  readonly isHostGone: () => Promise<boolean>;
  readonly opened: { readonly settings: Pick<RunSettings, "historyEventsMax"> };
};

/** Why a run that was rate limited for days ends. */
const waitedEnough =
  "it has waited as often as a workflow can; the next run continues after its last checkpoint";

function limitText(message: string, waitMs: number): string {
  // The message of a limit that was already blocked names the time itself.
  if (/^(rate limited|the service is failing)/.test(message)) return message;
  return `rate limited until ${new Date(Date.now() + waitMs).toISOString()}: ${message}`;
}

/** Whether the history has no place for more waits: Temporal would terminate the run, and nobody would close it. */
function isHistoryFull({ opened: { settings } }: WaitHooks): boolean {
  return workflowInfo().historyLength > (settings.historyEventsMax ?? historyEventsMax);
}

/**
 * Runs an activity, and runs it again after a wait that outlasts it: a long rate limit is slept through here, durably
 * and without a worker slot; a host that does not take its work is waited for while it lives.
 * @throws the failure of the activity, also after waits that have filled the history.
 */
export async function retryWhileThrottled<Result>(
  work: () => Promise<Result>,
  hooks: WaitHooks,
): Promise<Result> {
  const { waiting, isHostGone } = hooks;
  const call = Symbol("call");
  try {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const fault = faultOf(error);
        const { waitMs } = fault?.facts ?? {};
        const isFull = isHistoryFull(hooks);
        if (fault?.type === "RateLimited" && waitMs !== undefined) {
          const why = limitText(fault.message, waitMs);
          if (isFull) throw ApplicationFailure.nonRetryable(`${why}; ${waitedEnough}`, fault.type);
          waiting(call, why);
          await sleep(waitMs, { summary: "rate limited" });
        } else if (!isFull && isHostAway(error) && !(await isHostGone())) {
          waiting(call, "waiting for the worker of the host that holds the staged files");
        } else throw error;
      }
    }
  } finally {
    waiting(call, null);
  }
}

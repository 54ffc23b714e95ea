import { ActivityFailure, ApplicationFailure, sleep, TimeoutFailure } from "@temporalio/workflow";

import type { FailureFacts } from "../activities/failure.ts";

/** What an activity's failure says, as far as a workflow acts on it. */
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

/** Reads what failed; undefined when it is not a failure of an activity. */
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

/** What a wait is reported to, and how to tell that it is in vain. */
export type WaitHooks = {
  /** Takes why nothing moves; null when something does. */
  readonly waiting: (why: string | null) => void;
  /** Whether the host that does not take its work is gone for good; while it only is busy, it is waited for. */
  readonly isHostGone: () => Promise<boolean>;
};

/**
 * Runs an activity, and again after a wait that outlasts it: a long rate limit is slept here, durably and without a
 * worker slot; a host that does not take its work is waited for while it lives.
 */
export async function retryWhileThrottled<Result>(
  work: () => Promise<Result>,
  { waiting, isHostGone }: WaitHooks,
): Promise<Result> {
  for (;;) {
    try {
      const result = await work();
      waiting(null);
      return result;
    } catch (error) {
      const fault = faultOf(error);
      const { waitMs } = fault?.facts ?? {};
      if (fault?.type === "RateLimited" && waitMs !== undefined) {
        // A limit that was blocked before names its time itself.
        const isNamed = /^(rate limited|the service is failing)/.test(fault.message);
        const until = `rate limited until ${new Date(Date.now() + waitMs).toISOString()}`;
        waiting(isNamed ? fault.message : `${until}: ${fault.message}`);
        await sleep(waitMs, { summary: "rate limited" });
      } else if (isHostAway(error) && !(await isHostGone())) {
        waiting("waiting for the worker of the host that holds the staged files");
      } else throw error;
    }
  }
}

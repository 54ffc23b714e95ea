import { ActivityFailure, ApplicationFailure, sleep, TimeoutFailure } from "@temporalio/workflow";

import type { FailureFacts } from "../activities/failure.ts";

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

/** Where a wait is reported, and how to find out that it is in vain. */
export type WaitHooks = {
  /** Receives why nothing moves; null when something does. */
  readonly waiting: (why: string | null) => void;
  /** Whether the host that does not take its work is gone for good; while it is only busy, it is waited for. */
  readonly isHostGone: () => Promise<boolean>;
};

/**
 * Runs an activity, and runs it again after a wait that outlasts it: a long rate limit is slept through here, durably
 * and without a worker slot; a host that does not take its work is waited for while it lives.
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
        // The message of a limit that was already blocked names the time itself.
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

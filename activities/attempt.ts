import { Context } from "@temporalio/activity";

import { heartbeatMs } from "../src/limits.ts";
import { tallied, type PaceTally } from "../src/pace.ts";
import type { Dependencies } from "./dependencies.ts";
import { toFailure } from "./failure.ts";

/** What one attempt of an activity may use of Temporal. */
export type Attempt = {
  /** Aborts when the activity is cancelled or timed out: checked before every effect. */
  readonly signal: AbortSignal;
  /** Says how far it is; beaten with the next heartbeat. Numbers and names only (I4). */
  readonly progress: (facts: object) => void;
};

/**
 * Runs one attempt: beats from a timer, so that no amount of work delays a beat, and turns what is thrown into the
 * failure that says what happens next.
 */
export async function attempt<Result>(
  work: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  const context = Context.current();
  let latest: object | undefined;
  const timer = setInterval(() => context.heartbeat(latest), heartbeatMs);
  try {
    return await work({
      signal: context.cancellationSignal,
      progress: (facts) => {
        latest = facts;
      },
    });
  } catch (error) {
    // A cancelled activity must end as cancelled, whatever its request made of the abort.
    context.cancellationSignal.throwIfAborted();
    throw toFailure(error);
  } finally {
    clearInterval(timer);
  }
}

/** As `attempt`, and adds the requests made and the waits met to the run, also when the work fails. */
export async function requestAttempt<Result>(
  { state }: Pick<Dependencies, "state">,
  runId: string,
  work: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  return await attempt(async (current) => {
    const tally: PaceTally = { requests: 0, waitedMs: 0 };
    try {
      return await tallied(tally, async () => await work(current));
    } finally {
      const retries = Context.current().info.attempt > 1 ? 1 : 0;
      if (retries + tally.requests + tally.waitedMs > 0) {
        await state.addRunFacts({ runId, ...tally, retries });
      }
    }
  });
}

import { AsyncLocalStorage } from "node:async_hooks";
import { addAbortListener } from "node:events";

import { Context } from "@temporalio/activity";
import { CancelledFailure } from "@temporalio/common";

import { requestingAs, type RequestTally } from "../src/service/requester.ts";
import type { Run } from "../src/state/contract/runs/runs.ts";
import { runOf, type Dependencies } from "./dependencies.ts";
import { toFailure, workerStopped } from "./failure.ts";
import type { PartRef, RunRef } from "./inputs.ts";
import { heartbeatMs } from "./limits.ts";

/** The parts of Temporal that one attempt of an activity may use. */
export type Attempt = {
  /** Aborts when the activity is cancelled or timed out: checked before every effect. */
  readonly signal: AbortSignal;
  /** Reports progress; sent with the next heartbeat. Numbers and names only (I4). */
  readonly progress: (facts: object) => void;
};

/** The message with which the SDK cancels an activity when the worker stops. */
const workerStop = "WORKER_SHUTDOWN";

function isWorkerStop({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof CancelledFailure && reason.message === workerStop;
}

const cutOffs = new AsyncLocalStorage<AbortSignal>();

/**
 * Runs an activity. Once `signal` aborts, its attempt ends as one of a worker that stops, sooner than Temporal would
 * cancel it.
 */
export async function cutOffBy<Result>(
  signal: AbortSignal,
  activity: () => Promise<Result>,
): Promise<Result> {
  return await cutOffs.run(signal, activity);
}

/**
 * Runs one attempt. Heartbeats come from a timer, so that no amount of work delays one. A thrown error becomes the
 * failure that says what happens next.
 */
export async function attempt<Result>(
  work: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  const context = Context.current();
  let latest: object | undefined;
  const begunMs = performance.now();
  const cutOff = cutOffs.getStore();
  const stopped = new AbortController();
  // The listener is removed again, because the worker's signal lives as long as the worker does.
  using _ =
    cutOff && addAbortListener(cutOff, () => stopped.abort(new CancelledFailure(workerStop)));
  const signal = AbortSignal.any([context.cancellationSignal, stopped.signal]);
  const timer = setInterval(() => context.heartbeat(latest), heartbeatMs);
  try {
    return await work({
      signal,
      progress: (facts) => {
        latest = facts;
      },
    });
  } catch (error) {
    if (isWorkerStop(signal)) throw workerStopped();
    // A cancelled activity must end as cancelled, however its request reacted to the abort.
    signal.throwIfAborted();
    throw toFailure(error, performance.now() - begunMs);
  } finally {
    clearInterval(timer);
  }
}

/** An attempt of an activity that makes requests. */
export type RequestAttempt = Attempt & {
  /** The run it sends for; this worker may continue it (`runOf`). */
  readonly run: Run;
};

/**
 * Like `attempt`, for one part, or for a run that makes one request at a time. Its requests use one token and the
 * priority of the run. Requests and waits are added to the run even when the work fails.
 * @throws what `runOf` throws, before anything else.
 */
export async function requestAttempt<Result>(
  deps: Pick<Dependencies, "config" | "now" | "state" | "target">,
  ref: RunRef & Partial<Pick<PartRef, "chunk" | "part">>,
  work: (attempt: RequestAttempt) => Promise<Result>,
): Promise<Result> {
  return await attempt(async (current) => {
    const run = await runOf(deps, ref);
    const tally: RequestTally = { requests: 0, waitedMs: 0 };
    const { attempt: number, activityType } = Context.current().info;
    const { runId, chunk = 0, part = 0 } = ref;
    try {
      const token = [runId, chunk, part, activityType].join("/");
      const requester = { token, kind: run.kind, tally };
      return await requestingAs(requester, async () => await work({ ...current, run }));
    } finally {
      const retries = number > 1 ? 1 : 0;
      if (retries + tally.requests + tally.waitedMs > 0) {
        await deps.state.addRunFacts({ runId, ...tally, retries });
      }
    }
  });
}

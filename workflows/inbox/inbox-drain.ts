import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from "@temporalio/workflow";

import type { Look, LookInput } from "../../activities/inbox/look-into-inbox.ts";
import { backOffAfter } from "../backoff.ts";
import { cancelledBeforeNext, close } from "../ending.ts";
import { lookIntoInbox } from "../policies.ts";
import { progressOf, runBatch } from "../sync/run-batch.ts";
import { RunView } from "../sync/run-view.ts";
import { newRunId, type ContinuedRun } from "../sync/sync-input.ts";
import { wake } from "../wake.ts";
import { backoffDetails, blockedDetails } from "./drain-details.ts";
import { parseDrainInput, type DrainInput, type Backoff } from "./drain-input.ts";

/** The result of a drain: its runs, and why it ended before everything was sent. */
export type Drained = {
  readonly connection: string;
  readonly runs: number;
  /** Null when nothing was left. */
  readonly blocked: string | null;
};

/** A running drain. */
class Drain {
  readonly #connection: string;
  readonly #backoffs: Map<string, Backoff>;
  #runs: number;
  #runsHere = 0;

  constructor({ connection, continued }: DrainInput) {
    this.#connection = connection;
    this.#backoffs = new Map(Object.entries(continued?.backoffs ?? {}));
    this.#runs = continued?.runs ?? 0;
  }

  /** The backoffs that are not over. */
  backingOff(): ReadonlyMap<string, Backoff> {
    return new Map([...this.#backoffs].filter(([, { until }]) => until > Date.now()));
  }

  /** Whether this execution has grown long. */
  isLong(runsMax = Infinity): boolean {
    return workflowInfo().continueAsNewSuggested || this.#runsHere >= runsMax;
  }

  /** Makes a run of a sync, or continues one. @throws a cancellation, or the error that makes it continue as new. */
  async run(sync: string, continued?: ContinuedRun): Promise<void> {
    const { firstExecutionRunId } = workflowInfo();
    const workflow = { startTime: new Date(), firstExecutionRunId };
    const runId = continued?.run_id ?? newRunId(sync, workflow, true);
    const view = new RunView(progressOf(runId, sync, continued));
    const ended = await runBatch({ view, wanted: { kind: "inbox", request: {} }, continued });
    if (ended.kind === "continue") {
      const cancelled = await cancelledBeforeNext();
      if (cancelled === undefined) return await this.goOn({ ...ended.continued, sync });
      await close(view, cancelled.closing);
      throw cancelled.cause;
    }
    const { closing, cause } = ended;
    const report = await close(view, closing);
    if (isCancellation(cause)) throw cause;
    this.#runs += 1;
    this.#runsHere += 1;
    const how =
      report === null
        ? { outcome: closing.outcome, error: closing.failure }
        : { ...report, read: report.counts.read };
    const backoff = backOffAfter(how, this.#backoffs.get(sync), Date.now());
    if (backoff === undefined) this.#backoffs.delete(sync);
    else this.#backoffs.set(sync, backoff);
  }

  /** Continues as new; with `run`, in the middle of that run. */
  async goOn(run?: ContinuedRun & { readonly sync: string }): Promise<never> {
    await condition(allHandlersFinished);
    const backoffs = Object.fromEntries(this.#backoffs);
    const connection = this.#connection;
    const continued = { runs: this.#runs, backoffs, run };
    return await continueAsNew<typeof inboxDrain>({ connection, continued });
  }

  ended(blocked: string | null): Drained {
    if (blocked !== null) setCurrentDetails(blockedDetails(this.#connection, blocked));
    return { connection: this.#connection, runs: this.#runs, blocked };
  }
}

/**
 * Looks after the connection has lingered, and after what each look says to wait for. A short wait is in the activity,
 * which costs less; a long one holds no slot.
 */
async function lookAfterWaiting(input: LookInput): Promise<Look> {
  let look = await lookIntoInbox(input);
  while (look.waitMs !== undefined) {
    await sleep(look.waitMs);
    look = await lookIntoInbox({ ...input, linger: false });
  }
  return look;
}

/**
 * Sends the events in the inbox of a connection, until none is left: a run for each sync with unread events, one after
 * the other, by the same transfer as any sync. A sync whose run fails backs off while the others continue. The drain
 * ends when the key is refused or the credits are used up; a check starts it again once that is over.
 */
export async function inboxDrain(raw: unknown): Promise<Drained> {
  let hasWakeUp = false;
  setHandler(wake, () => void (hasWakeUp = true), { description: "Something came: look again" });
  const parsed = parseDrainInput(raw, workflowInfo());
  if ("problem" in parsed) throw ApplicationFailure.nonRetryable(parsed.problem, "InvalidInput");
  const { connection, continued } = parsed.input;
  const drain = new Drain(parsed.input);
  if (continued?.run !== undefined) {
    const { sync, ...run } = continued.run;
    await drain.run(sync, run);
  }
  // The events that woke it are sent at once; events that arrive meanwhile get time to become one batch.
  for (let linger = continued !== undefined; ; linger = true) {
    const backingOff = drain.backingOff();
    hasWakeUp = false;
    const look = await lookAfterWaiting({
      connection,
      linger,
      backingOff: [...backingOff.keys()],
    });
    const { blocked, syncs, isAnswered, runsPerExecution } = look;
    if (blocked !== null) return drain.ended(blocked);
    for (const sync of syncs) {
      await drain.run(sync);
      if (drain.isLong(runsPerExecution)) return await drain.goOn();
    }
    if (syncs.length > 0) continue;
    if (backingOff.size > 0) {
      setCurrentDetails(backoffDetails(connection, backingOff));
      const until = Math.min(...[...backingOff.values()].map((backoff) => backoff.until));
      await condition(() => hasWakeUp && isAnswered, Math.max(1, until - Date.now()));
    } else if (linger && !hasWakeUp) {
      // Nothing is awaited from here on: a signal meanwhile makes the server repeat this decision.
      return drain.ended(null);
    }
  }
}

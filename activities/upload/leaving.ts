import { uptime } from "node:os";

import type { Moment } from "../../src/clock.ts";
import { ApiUnavailableError, mayHaveSucceeded, SluiceError } from "../../src/errors.ts";
import { requestDeadlineMs } from "../../src/limits.ts";
import type { RequestWindow, Sender } from "../../src/state/contract/doubts/requests.ts";
import type { PartForm } from "../../src/state/contract/sends/receipts.ts";
import type { Dependencies } from "../dependencies.ts";
import { leaveMsMax, landingMarginMs } from "../limits.ts";

/** Clocks in ms: one keeps running while the machine sleeps, and one is the wall clock, which may be set. */
const clocks: readonly (() => number)[] = [
  () => performance.now(),
  () => uptime() * 1_000,
  () => Date.now(),
];

/** Starts a stopwatch: returns the longest time that has passed since by any of the clocks, in ms. */
export function startWatch(of: readonly (() => number)[] = clocks): () => number {
  const begun = of.map((now) => now());
  return () => Math.max(...of.map((now, index) => now() - (begun[index] ?? 0)));
}

/** A request that may apply records, as noted before it leaves. */
export type Leaving = {
  readonly request: Sender & RequestWindow;
  /**
   * Call it when the first byte is about to leave.
   * @throws {ApiUnavailableError} it was noted too long ago: the process was stopped, or the machine slept.
   */
  readonly beforeSend: () => void;
  /** Whether it may be applied although it ended with this error, or was aborted. */
  readonly mayLand: (error: unknown, signal: AbortSignal) => boolean;
};

/** The request to note: who sends, when, and how long it may take to be applied. Call it just before `beginPart`. */
export function leavingNow(
  { clock, config, process }: Pick<Dependencies, "clock" | "config" | "process">,
  { form, stream }: { readonly form: PartForm; readonly stream: string },
): Leaving {
  const passedMs = startWatch();
  let hasLeft = false;
  const processingMs = form === "file" ? config.api.processingMs : 0;
  return {
    request: {
      process,
      stream,
      now: clock(),
      deadlineMs: requestDeadlineMs,
      restMs: processingMs + landingMarginMs,
    },
    beforeSend: () => {
      const ms = passedMs();
      if (ms > leaveMsMax) {
        throw new ApiUnavailableError(
          `the request was not sent: ${Math.round(ms / 1_000)} s passed since it was noted that it begins`,
        );
      }
      hasLeft = true;
    },
    // An error from elsewhere says nothing about what left.
    mayLand: (error, signal) =>
      hasLeft && (signal.aborted || mayHaveSucceeded(error) || !(error instanceof SluiceError)),
  };
}

/** A request that ended, and when. */
type EndedRequest = { readonly number: number; readonly now: Moment };

/**
 * Has the store note that a request ended. If it cannot, the end is noted later: nobody else would ever end the request
 * while this process lives.
 */
export async function noteEnd(
  { unnotedEnds }: Pick<Dependencies, "unnotedEnds">,
  { number, now }: EndedRequest,
  note: (ended: EndedRequest) => Promise<void>,
): Promise<void> {
  try {
    await note({ number, now });
  } catch (error) {
    unnotedEnds.set(number, now);
    throw error;
  }
}

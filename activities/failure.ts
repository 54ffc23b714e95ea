import { activityInfo } from "@temporalio/activity";
import { ApplicationFailure, ApplicationFailureCategory } from "@temporalio/common";

import {
  ApiRejectedError,
  ConfigError,
  LockWaitError,
  messageOf,
  RateLimitedError,
  SluiceError,
} from "../src/errors.ts";
import type { RefusedRecord } from "../src/errors.ts";
import { workerStoppedType } from "../src/failure-types.ts";
import { retryDelayMsMin, waitInActivityRetryMsMax } from "./limits.ts";

/** What a failure carries besides its text, as its first detail. */
export type FailureFacts = {
  readonly hint?: string | undefined;
  readonly field?: string | undefined;
  /** Of `RecordsRejected`: indices in the part. */
  readonly refused?: readonly RefusedRecord[] | undefined;
  /**
   * Of a long `RateLimited`: how long the workflow waits before it schedules the activity again; its clock
   * and ours may differ.
   */
  readonly waitMs?: number | undefined;
};

/** Time that the last attempt needs before its schedule-to-close timeout. */
const lastAttemptMs = 5_000;

/**
 * How long ago the activity was first asked for: by the server's clock up to this attempt, by this machine's
 * from there. The two clocks are never compared, because they may be hours apart.
 */
function sinceFirstMs(attemptMs: number): number {
  const { currentAttemptScheduledTimestampMs, scheduledTimestampMs } = activityInfo();
  return currentAttemptScheduledTimestampMs - scheduledTimestampMs + attemptMs;
}

function timeLeftMs(attemptMs: number): number {
  const { scheduleToCloseTimeoutMs: bound } = activityInfo();
  return bound > 0 ? bound - sinceFirstMs(attemptMs) : Infinity;
}

/**
 * Whether what is missing may still come: the activity was first asked for less than the time its faults are
 * tolerated ago.
 */
function isStillWaitedFor(error: SluiceError, attemptMs: number): boolean {
  return error instanceof ConfigError && sinceFirstMs(attemptMs) < (error.retryBudgetMs ?? 0);
}

/**
 * The one place where an error of ours becomes a failure of Temporal: code -> type, class -> whether it is
 * retried. `attemptMs` is how long this attempt has run.
 */
export function toFailure(error: unknown, attemptMs: number): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (!(error instanceof SluiceError)) {
    // A bug or a library's error: retried, because an attempt elsewhere or later may do; its text is all that is shown.
    return ApplicationFailure.create({ message: messageOf(error), type: "Unexpected" });
  }
  const { hint, field, retryAfterMs } = error;
  const refused = error instanceof ApiRejectedError ? error.refused : undefined;
  const facts: FailureFacts = { hint, field, refused };
  const failure = {
    message: error.message,
    type: error.code,
    nonRetryable: !error.retryable && !isStillWaitedFor(error, attemptMs),
  };
  if (retryAfterMs === undefined)
    return ApplicationFailure.create({ ...failure, details: [facts] });

  const delayMs = Math.max(retryDelayMsMin, Math.ceil(retryAfterMs));
  // A long wait is the workflow's, which can say so; and so is one that outlasts the activity. But each costs
  // its history eleven events: an outage, with two waits a minute and no end in sight, would fill it in less
  // than a day.
  const isLong =
    error instanceof RateLimitedError && !error.isOutage && delayMs > waitInActivityRetryMsMax;
  const isWaitForWorkflow = isLong || delayMs > timeLeftMs(attemptMs) - lastAttemptMs;
  return ApplicationFailure.create({
    ...failure,
    nonRetryable: isWaitForWorkflow,
    ...(isWaitForWorkflow ? {} : { nextRetryDelay: delayMs }),
    details: [isWaitForWorkflow ? { ...facts, waitMs: delayMs } : facts],
    // Waiting its turn is not a fault: it must not fill logs and metrics with errors.
    ...(error instanceof RateLimitedError || error instanceof LockWaitError
      ? { category: ApplicationFailureCategory.BENIGN }
      : {}),
  });
}

/** What was cut off by its worker's stop is begun again by the next one, at once: nothing is wrong with it. */
export function workerStopped(): ApplicationFailure {
  return ApplicationFailure.create({
    message: "interrupted: its worker was asked to stop",
    type: workerStoppedType,
    nextRetryDelay: retryDelayMsMin,
    category: ApplicationFailureCategory.BENIGN,
  });
}

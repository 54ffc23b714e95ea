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

/** The first detail of a failure: the facts besides its text. */
export type FailureFacts = {
  readonly hint?: string | undefined;
  readonly field?: string | undefined;
  /** For `RecordsRejected`: indices in the part. */
  readonly refused?: readonly RefusedRecord[] | undefined;
  /**
   * For a long `RateLimited`: how long the workflow waits before it schedules the activity again. Its clock and ours
   * may differ.
   */
  readonly waitMs?: number | undefined;
};

/** Time that the last attempt needs before its schedule-to-close timeout. */
const lastAttemptMs = 5_000;

/**
 * How long ago the activity was first scheduled: by the server's clock up to this attempt, by this machine's from then
 * on. The two clocks are never compared, because they may be hours apart.
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
 * Whether to wait on for something missing: the activity was first scheduled less than the error's retry budget ago.
 */
function isStillWaitedFor(error: SluiceError, attemptMs: number): boolean {
  return error instanceof ConfigError && sinceFirstMs(attemptMs) < (error.retryBudgetMs ?? 0);
}

/**
 * The only place where one of our errors becomes a Temporal failure: code -> type, class -> whether it is retried.
 * `attemptMs` is how long this attempt has run.
 */
export function toFailure(error: unknown, attemptMs: number): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (!(error instanceof SluiceError)) {
    // A bug or a library's error: retried, because an attempt elsewhere or later may succeed. Only its text is shown.
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
  // A delay that is not finite would break the conversion to Temporal's message, and with it the worker.
  if (retryAfterMs === undefined || !Number.isFinite(retryAfterMs))
    return ApplicationFailure.create({ ...failure, details: [facts] });

  const delayMs = Math.max(retryDelayMsMin, Math.ceil(retryAfterMs));
  // The workflow waits where the wait is long, because it can show that, or outlasts the activity. But each wait costs
  // its history eleven events: an outage, with two waits a minute and no end in sight, would fill it in less than a
  // day.
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

/** The failure of an activity that its worker's stop interrupted: the next worker begins it again at once. */
export function workerStopped(): ApplicationFailure {
  return ApplicationFailure.create({
    message: "interrupted: its worker was asked to stop",
    type: workerStoppedType,
    nextRetryDelay: retryDelayMsMin,
    category: ApplicationFailureCategory.BENIGN,
  });
}

import { activityInfo } from "@temporalio/activity";
import { ApplicationFailure, ApplicationFailureCategory } from "@temporalio/common";

import { ApiRejectedError, messageOf, RateLimitedError, SluiceError } from "../src/errors.ts";
import type { RefusedRecord } from "../src/errors.ts";

/** What a failure carries besides its text, as its first detail. */
export type FailureFacts = {
  readonly hint?: string | undefined;
  readonly field?: string | undefined;
  /** Of `RecordsRejected`: indices in the part. */
  readonly refused?: readonly RefusedRecord[] | undefined;
  /** Of a `RateLimited` that outlasts the activity: Unix ms from which the workflow may schedule it again. */
  readonly untilMs?: number | undefined;
};

/** Temporal takes 0 for "no retry at all", and rounds what is shorter. */
const retryDelayMsMin = 1_000;

/** Time that the last attempt needs before its schedule-to-close timeout. */
const lastAttemptMs = 5_000;

function timeLeftMs(): number {
  const { scheduledTimestampMs, scheduleToCloseTimeoutMs } = activityInfo();
  const isBounded = scheduleToCloseTimeoutMs > 0;
  return isBounded ? scheduledTimestampMs + scheduleToCloseTimeoutMs - Date.now() : Infinity;
}

/** The one place where an error of ours becomes a failure of Temporal: code -> type, class -> whether it is retried. */
export function toFailure(error: unknown): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (!(error instanceof SluiceError)) {
    // A bug or a library's error: retried, because an attempt elsewhere or later may do; its text is all that is shown.
    return ApplicationFailure.create({ message: messageOf(error), type: "Unexpected" });
  }
  const { hint, field, retryAfterMs } = error;
  const refused = error instanceof ApiRejectedError ? error.refused : undefined;
  const facts: FailureFacts = { hint, field, refused };
  const failure = { message: error.message, type: error.code, nonRetryable: !error.retryable };
  if (retryAfterMs === undefined)
    return ApplicationFailure.create({ ...failure, details: [facts] });

  const delayMs = Math.max(retryDelayMsMin, Math.ceil(retryAfterMs));
  const isWaitForWorkflow = delayMs > timeLeftMs() - lastAttemptMs;
  return ApplicationFailure.create({
    ...failure,
    nonRetryable: isWaitForWorkflow,
    ...(isWaitForWorkflow ? {} : { nextRetryDelay: delayMs }),
    details: [isWaitForWorkflow ? { ...facts, untilMs: Date.now() + delayMs } : facts],
    // Waiting its turn is no fault: it must not fill logs and metrics with errors.
    ...(error instanceof RateLimitedError ? { category: ApplicationFailureCategory.BENIGN } : {}),
  });
}

import {
  ApplicationFailure,
  ApplicationFailureCategory,
  DefaultFailureConverter,
  defaultPayloadConverter,
} from "@temporalio/common";
import { MockActivityEnvironment } from "@temporalio/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { toFailure } from "../../activities/failure.ts";
import * as errors from "../../src/errors.ts";

const nowMs = Date.parse("2026-01-01T00:00:00.000Z");

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: nowMs }));
afterEach(() => void vi.useRealTimers());

/** The times of an activity by the server's clock and this machine's, in ms. */
type Times = {
  /** Before it ends; undefined for no limit. */
  readonly leftMs?: number;
  /** From the first attempt to this one, by the server's clock. */
  readonly beforeMs?: number;
  /** The length of this attempt, by this machine's clock. */
  readonly attemptMs?: number;
};

/** The failure of an error in an activity with these times. */
async function failureOf(error: unknown, times: Times = {}): Promise<ApplicationFailure> {
  const { leftMs = 0, beforeMs = 0, attemptMs = 0 } = times;
  const info = {
    scheduledTimestampMs: nowMs,
    currentAttemptScheduledTimestampMs: nowMs + beforeMs,
    scheduleToCloseTimeoutMs: leftMs,
  };
  const convert = async (): Promise<ApplicationFailure> => toFailure(error, attemptMs);
  return await new MockActivityEnvironment(info).run<[], ApplicationFailure, typeof convert>(
    convert,
  );
}

// The failure's type, and whether Temporal retries it.
const table = [
  [errors.ApiUnavailableError, "Unavailable", true],
  [errors.RetryLater, "Unavailable", true],
  [errors.StagingError, "Unavailable", true],
  [errors.StateUnavailableError, "Unavailable", true],
  [errors.OutcomeUnknownError, "OutcomeUnknown", true],
  [errors.CreditsExhaustedError, "CreditsExhausted", false],
  [errors.TooLargeError, "TooLarge", false],
  [errors.UploadGoneError, "UploadGone", false],
  [errors.SourceChangedError, "SourceChanged", false],
  [errors.ApiAuthError, "AuthFailed", false],
  [errors.SourceAuthError, "AuthFailed", false],
  [errors.ApiContractError, "ContractBroken", false],
  [errors.ConfigError, "ConfigError", false],
  [errors.StagedFileMissingError, "StagedFileMissing", false],
  [errors.SupersededError, "Superseded", false],
  [errors.CheckpointMovedError, "CheckpointMoved", false],
  [errors.TooManyRejectsError, "TooManyRejects", false],
  [errors.TooFewRowsError, "TooFewRows", false],
  [errors.NotBalancedError, "NotBalanced", false],
  [errors.BusyError, "Busy", false],
] as const;

describe("toFailure", () => {
  it.each(
    table.map(([ErrorClass, type, isRetried]) => ({
      ErrorClass,
      name: ErrorClass.name,
      type,
      isRetried,
    })),
  )("makes $name a $type", async ({ ErrorClass, type, isRetried }) => {
    const error = new ErrorClass("what happened", { hint: "what to do", field: "where" });
    const failure = await failureOf(error);
    expect(failure).toMatchObject({ message: "what happened", type, nonRetryable: !isRetried });
    expect(failure.details).toEqual([{ hint: "what to do", field: "where", refused: undefined }]);
    expect(failure.nextRetryDelay).toBeUndefined();
  });

  it("carries which records were refused, and the cause of nothing", async () => {
    const refused = [{ index: 3, field: "domain" }];
    const cause = new Error("a row of the customer");
    const failure = await failureOf(new errors.ApiRejectedError("refused", { refused, cause }));
    expect(failure).toMatchObject({ type: "RecordsRejected", nonRetryable: true });
    expect(failure.details).toEqual([expect.objectContaining({ refused })]);
    expect(JSON.stringify(failure)).not.toContain("customer");
    expect(failure.cause).toBeUndefined();
  });

  it.each([
    [0, 1_000],
    [999, 1_000],
    [1_000, 1_000],
    [1_000.2, 1_001],
    [10_000, 10_000],
  ])("waits %d ms as %i: a delay of 0 would end all retries", async (retryAfterMs, delay) => {
    const failure = await failureOf(new errors.RateLimitedError("later", { retryAfterMs }));
    expect(failure).toMatchObject({
      type: "RateLimited",
      nonRetryable: false,
      nextRetryDelay: delay,
      category: ApplicationFailureCategory.BENIGN,
    });
  });

  it("waits as a source asks for", async () => {
    const failure = await failureOf(new errors.RetryLater("busy", { afterMs: 5_000 }));
    expect(failure).toMatchObject({ type: "Unavailable", nextRetryDelay: 5_000 });
  });

  it.each([Number.NaN, Infinity, -Infinity])(
    "leaves the wait to the retry policy where a source asks for %d ms, which Temporal cannot take",
    async (afterMs) => {
      const failure = await failureOf(new errors.RetryLater("busy", { afterMs }));
      expect(failure).toMatchObject({ type: "Unavailable", nonRetryable: false });
      expect(failure.nextRetryDelay).toBeUndefined();
      const sent = new DefaultFailureConverter().errorToFailure(failure, defaultPayloadConverter);
      expect(sent.applicationFailureInfo?.nextRetryDelay).toBeUndefined();
      const error = new errors.StagingError("full").after(afterMs);
      expect((await failureOf(error)).nextRetryDelay).toBeUndefined();
    },
  );

  it.each([
    [9_999, true],
    [30_000, true],
    [30_001, false],
    [86_400_000, false],
  ])(
    "leaves a rate limit of %i ms to Temporal: %s; else the workflow shows it",
    async (ms, isTemporals) => {
      const failure = await failureOf(new errors.RateLimitedError("later", { retryAfterMs: ms }));
      expect(failure).toMatchObject({
        type: "RateLimited",
        nonRetryable: !isTemporals,
        category: ApplicationFailureCategory.BENIGN,
      });
      expect(failure.nextRetryDelay).toBe(isTemporals ? ms : undefined);
      expect(failure.details).toEqual([expect.objectContaining(isTemporals ? {} : { waitMs: ms })]);
    },
  );

  it("leaves an outage to Temporal, however long the wait for the next probe", async () => {
    const facts = { retryAfterMs: 40_000, isOutage: true };
    const failure = await failureOf(new errors.RateLimitedError("failing", facts));
    expect(failure).toMatchObject({
      type: "RateLimited",
      nonRetryable: false,
      nextRetryDelay: 40_000,
      category: ApplicationFailureCategory.BENIGN,
    });
  });

  it.each([
    [59_999, true],
    [60_000, true],
    [60_001, false],
  ])(
    "leaves a wait of %i ms to the workflow when 65 s are left, as the last attempt needs 5 s: %s",
    async (retryAfterMs, isTemporals) => {
      const error = new errors.RetryLater("later", { afterMs: retryAfterMs });
      const failure = await failureOf(error, { leftMs: 65_000 });
      expect(failure.nonRetryable).toBe(!isTemporals);
      expect(failure.nextRetryDelay).toBe(isTemporals ? retryAfterMs : undefined);
      const waitMs = isTemporals ? undefined : retryAfterMs;
      expect(failure.details?.[0]).toMatchObject({ hint: undefined, ...(waitMs && { waitMs }) });
    },
  );

  it.each([
    [299_999, true],
    [300_000, false],
    [300_001, false],
  ])(
    "has what may only be late tried again until its retryBudget of 5 minutes is over: %i ms",
    async (passedMs, isRetried) => {
      const error = new errors.ConfigError("a.csv does not exist", { retryBudgetMs: 300_000 });
      const attemptMs = 1_000;
      const failure = await failureOf(error, { beforeMs: passedMs - attemptMs, attemptMs });
      expect(failure).toMatchObject({ type: "ConfigError", nonRetryable: !isRetried });
    },
  );

  it.each([-2, 2])(
    "asks no clock of this machine, which may be hours from the server's: %i h",
    async (hours) => {
      vi.setSystemTime(nowMs + hours * 3_600_000);
      const late = new errors.ConfigError("a.csv does not exist", { retryBudgetMs: 300_000 });
      const isOver = await failureOf(late, { beforeMs: 300_000 });
      expect(isOver.nonRetryable).toBe(true);
      expect((await failureOf(late, { beforeMs: 299_000 })).nonRetryable).toBe(false);
      const wait = new errors.RetryLater("later", { afterMs: 60_000 });
      const hasTime = await failureOf(wait, { leftMs: 3_600_000, beforeMs: 3_000_000 });
      expect(hasTime.nextRetryDelay).toBe(60_000);
      const hasNone = await failureOf(wait, { leftMs: 3_600_000, beforeMs: 3_560_000 });
      expect(hasNone).toMatchObject({ nonRetryable: true, details: [{ waitMs: 60_000 }] });
    },
  );

  it.each([[new TypeError("x is not a function")], ["a text that was thrown"]])(
    "has what is not an error of ours tried again: %s",
    async (thrown) => {
      const failure = await failureOf(thrown);
      expect(failure).toMatchObject({ type: "Unexpected", nonRetryable: false });
      expect(failure.message).toBe(errors.messageOf(thrown));
    },
  );

  it("leaves a failure as it is", async () => {
    const failure = ApplicationFailure.nonRetryable("already one");
    expect(await failureOf(failure)).toBe(failure);
  });
});

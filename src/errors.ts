/** How often to ask for a lock that another run must release, ms. */
const lockAskMs = 1_000;

/**
 * A reference to one refused record of a part: its index in the part and the field the service named. Never a
 * value.
 */
export type RefusedRecord = {
  /** Index of the record in the part, from 0. */
  readonly index: number;
  /** Path of the refused field, "account_properties.name", or undefined when the service named none. */
  readonly field?: string | undefined;
};

/** Facts an error may carry besides its text; each must be fit to be shown in the Temporal Web UI. */
export type ErrorFacts = {
  readonly cause?: unknown;
  /** The configuration field at fault: "connections.exports.path". */
  readonly field?: string | undefined;
  /** What the reader should do now, one sentence. */
  readonly hint?: string | undefined;
};

/** How often, or for how long, a fault of one chunk is retried, and the error that it becomes after that. */
export type RetryBudget = {
  /** Names the fault among those of its chunk: each is counted separately. */
  readonly fault: string;
  /** Failures in a row after which `becomes` is thrown; undefined for no limit. */
  readonly timesMax?: number | undefined;
  /** Time since the first failure after which it is thrown; undefined for no limit. */
  readonly msMax?: number | undefined;
  /** Thrown in place of the fault once the retry budget is used up. */
  readonly becomes: SluiceError;
};

/**
 * The root of every error that sluice itself throws. The class says what happens next; `code` is the Temporal failure
 * type and the `code` of `--json` errors, and never changes. The docstring of a class says when it is thrown; the first
 * class with a code also says what a person does. docs/errors.md is made from these docstrings.
 */
export abstract class SluiceError extends Error {
  /** Stable name of the class of fault, for machines. */
  abstract readonly code: string;
  /** Whether Temporal may try the same activity again. @default no */
  readonly retryable: boolean = false;
  /** Time to wait before the next attempt; undefined leaves it to the retry policy. */
  readonly retryAfterMs?: number | undefined;
  readonly hint: string | undefined;
  readonly field: string | undefined;

  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = new.target.name;
    this.hint = facts.hint;
    this.field = facts.field;
  }
}

/** A temporary fault of a request, of staging or of a staging thread: the activity is retried after `retryAfterMs`. */
export abstract class TransientError extends SluiceError {
  override readonly retryable = true;
  override readonly retryAfterMs: number | undefined;
  /** Undefined tolerates the fault as long as the activity may last. */
  readonly retryBudget: RetryBudget | undefined;

  constructor(
    message: string,
    facts: ErrorFacts & {
      readonly retryAfterMs?: number | undefined;
      readonly retryBudget?: RetryBudget | undefined;
    } = {},
  ) {
    super(message, facts);
    this.retryAfterMs = facts.retryAfterMs;
    this.retryBudget = facts.retryBudget;
  }

  /** The same fault with a delay before the next attempt. */
  after(retryAfterMs: number): this {
    return Object.assign(this, { retryAfterMs });
  }
}

/**
 * Thrown when a request failed and certainly applied nothing; it may pass.
 *
 * To do: Nothing while it is retried. If it lasts, check the network, the source, free space of the state
 * folder and `sluice status`.
 */
export class ApiUnavailableError extends TransientError {
  readonly code = "Unavailable";
}

/**
 * Thrown when a source cannot be read just now; `afterMs` is the source's own hint, and counts only where it is a
 * finite number: `Number("soon")` of a header is not.
 */
export class RetryLater extends SluiceError {
  readonly code = "Unavailable";
  override readonly retryable = true;
  override readonly retryAfterMs: number | undefined;

  constructor(message: string, facts: ErrorFacts & { afterMs?: number | undefined } = {}) {
    super(message, facts);
    this.retryAfterMs = Number.isFinite(facts.afterMs) ? facts.afterMs : undefined;
  }
}

/**
 * Thrown when the staging folder cannot be written or read: disk full, read-only, vanished; or when a staging
 * thread died.
 */
export class StagingError extends TransientError {
  readonly code = "Unavailable";
}

/** Thrown when the state store cannot be reached: locked too long, disk full, its thread gone. */
export class StateUnavailableError extends SluiceError {
  readonly code = "Unavailable";
  override readonly retryable = true;
  /** Whether its server is away, which may end by itself. @default no: a person has to fix something */
  readonly isAway: boolean;

  constructor(message: string, facts: ErrorFacts & { readonly isAway?: boolean } = {}) {
    super(message, facts);
    this.isAway = facts.isAway ?? false;
  }
}

/**
 * Thrown when bytes of a request left and no answer says what became of them: the same request is made again.
 *
 * To do: Nothing: sluice makes the same request again and counts the records as possibly repeated.
 */
export class OutcomeUnknownError extends TransientError {
  readonly code = "OutcomeUnknown";
}

/**
 * Thrown when the service, its gateway or our own rate limit says "later".
 *
 * To do: Wait. `sluice status` says until when, `sluice rate-limit show` why.
 */
export class RateLimitedError extends SluiceError {
  readonly code = "RateLimited";
  override readonly retryable = true;
  override readonly retryAfterMs: number;
  /** Whether the service is failing: nobody knows for how long, so it is asked again and again. */
  readonly isOutage: boolean;

  constructor(message: string, facts: ErrorFacts & { retryAfterMs: number; isOutage?: boolean }) {
    super(message, facts);
    this.retryAfterMs = facts.retryAfterMs;
    this.isOutage = facts.isOutage ?? false;
  }
}

/**
 * Thrown on 429 "credits exhausted": waiting does not help, spending stops.
 *
 * To do: Buy credits or wait for the next period, then `sluice rate-limit reset`.
 */
export class CreditsExhaustedError extends SluiceError {
  readonly code = "CreditsExhausted";

  constructor(message: string, facts: ErrorFacts = {}) {
    super(message, { hint: "`sluice rate-limit reset` when there are credits again", ...facts });
  }
}

/**
 * Thrown when the service refuses records; `refused` is empty when it named none.
 *
 * To do: Look at `sluice rejects list`, fix the mapping or the source, then `sluice rejects replay`.
 */
export class ApiRejectedError extends SluiceError {
  readonly code = "RecordsRejected";
  readonly refused: readonly RefusedRecord[];
  /** Whether the service may still have taken some of the part's records, or all of them. */
  readonly mayHaveSucceeded: boolean;

  constructor(
    message: string,
    facts: ErrorFacts & {
      readonly refused: readonly RefusedRecord[];
      readonly mayHaveSucceeded?: boolean;
    },
  ) {
    super(message, facts);
    this.refused = facts.refused;
    this.mayHaveSucceeded = facts.mayHaveSucceeded ?? false;
  }
}

/**
 * Thrown on 413, or for a page beyond `pageBytesMax`: the part is to be split, the page asked for with half
 * the limit.
 *
 * To do: Nothing: the part is split. If it recurs, set a smaller page or chunk.
 */
export class TooLargeError extends SluiceError {
  readonly code = "TooLarge";
  /** Whether the page may still have been paid for. */
  readonly mayHaveSucceeded: boolean;

  constructor(message: string, facts: ErrorFacts & { readonly mayHaveSucceeded?: boolean } = {}) {
    super(message, facts);
    this.mayHaveSucceeded = facts.mayHaveSucceeded ?? false;
  }
}

/**
 * Thrown when the service fails on a part, or on a page of a pull, again and again while it serves other
 * requests: the part is to be split.
 *
 * To do: Nothing about a part: it is split until the record is found. Where a run of a pull ends with it, or the
 * service fails on everything, ask its operator.
 */
export class ServiceFailsError extends SluiceError {
  readonly code = "ServiceFails";
}

/**
 * Thrown when the uploaded file is gone for good: a confirm says so (410, or a 404 that lasts), or its
 * receipt went back. The same bytes are uploaded again, under a new key.
 *
 * To do: Nothing: the same bytes are uploaded again under a new key.
 */
export class UploadGoneError extends SluiceError {
  readonly code = "UploadGone";
}

/**
 * Thrown when a source changed under the read: the chunk is staged again, three times, then the run stops.
 *
 * To do: Do not write to the file during a run: write another file and rename it, or declare it append-only.
 */
export class SourceChangedError extends SluiceError {
  readonly code = "SourceChanged";
}

/**
 * Thrown when the service refuses the API key (401, 403).
 *
 * To do: Put in a valid key, user or password, restart the worker, run again.
 */
export class ApiAuthError extends SluiceError {
  readonly code = "AuthFailed";
}

/** Thrown when a source refuses our credentials. */
export class SourceAuthError extends SluiceError {
  readonly code = "AuthFailed";
}

/**
 * Thrown when an answer breaks the API document: says what was expected and what came.
 *
 * To do: Check `base_url` and what is in front of the service: a proxy may answer in its place.
 */
export class ApiContractError extends SluiceError {
  readonly code = "ContractBroken";
  /** Whether the service may still have taken the records, or counted the page. */
  readonly mayHaveSucceeded: boolean;
  /** Status of the answer, if that is the breach: a 404 or 422 to a search concerns only its query. */
  readonly status: number | undefined;

  constructor(
    message: string,
    facts: ErrorFacts & {
      readonly mayHaveSucceeded?: boolean;
      readonly status?: number | undefined;
    } = {},
  ) {
    super(message, facts);
    this.mayHaveSucceeded = facts.mayHaveSucceeded ?? false;
    this.status = facts.status;
  }
}

/**
 * Thrown when the configuration or a command's arguments are wrong: nothing to retry, `field` and `hint` say
 * what to change. With `retryBudgetMs` Temporal looks again for so long before it stops, because the
 * missing thing may only be late; a command never waits.
 *
 * To do: Change the setting that the error names; its hint says how.
 */
export class ConfigError extends SluiceError {
  readonly code = "ConfigError";
  readonly retryBudgetMs: number | undefined;

  constructor(message: string, facts: ErrorFacts & { retryBudgetMs?: number | undefined } = {}) {
    super(message, facts);
    this.retryBudgetMs = facts.retryBudgetMs;
  }
}

/**
 * Thrown when a staged file is not where the store says; the chunk is staged again.
 *
 * To do: Nothing: the chunk is staged again. If it recurs, look for what cleans up the folder.
 */
export class StagedFileMissingError extends SluiceError {
  readonly code = "StagedFileMissing";
}

/**
 * Thrown when a write comes from a staging that is no longer the chunk's newest, or from a run that lost its
 * send lock.
 *
 * To do: Nothing where a newer attempt or a later run has the work; begin a backfill or a replay again that lost its
 * lock.
 */
export class SupersededError extends SluiceError {
  readonly code = "Superseded";
}

/**
 * Thrown when a run that has ended is asked to continue: its workflow was reset.
 *
 * To do: Start a new run; do not reset the workflow of one that has ended.
 */
export class RunEndedError extends SluiceError {
  readonly code = "RunEnded";
}

/**
 * Thrown when a run was begun on another state store than this worker has.
 *
 * To do: Start the worker with the state store that the run began on, or start a new run.
 */
export class WrongStoreError extends SluiceError {
  readonly code = "WrongStore";
}

/**
 * Thrown when the sync's configuration is not the one its run was begun with: two mappings must not mix in
 * one run.
 *
 * To do: Start the run again: it uses today's configuration.
 */
export class ConfigChangedError extends SluiceError {
  readonly code = "ConfigChanged";
}

/**
 * Thrown when the checkpoint is not the one this run began from: someone else moved it.
 *
 * To do: Look for a second run of the sync in `sluice runs list`, then run it again.
 */
export class CheckpointMovedError extends SluiceError {
  readonly code = "CheckpointMoved";
}

/**
 * Thrown when more rows were refused than `reject_limit` allows; nothing of the chunk was sent.
 *
 * To do: Look at `sluice rejects list`, fix the cause or raise `reject_limit`, then run again.
 */
export class TooManyRejectsError extends SluiceError {
  readonly code = "TooManyRejects";
}

/**
 * Thrown when a run that stages everything before it sends (`hold_if`) takes more disk than `advanced.staging_max`.
 *
 * To do: Raise `advanced.staging_max` where the disk has room, or take `hold_if` out; then run again.
 */
export class StagingFullError extends SluiceError {
  readonly code = "StagingFull";
}

/**
 * Thrown when a source holds fewer rows than `min_rows`.
 *
 * To do: Check that the source is complete, or lower `min_rows`.
 */
export class TooFewRowsError extends SluiceError {
  readonly code = "TooFewRows";
}

/**
 * Thrown when read = sent + unchanged + filtered + rejected does not hold (I2); names the bucket.
 *
 * To do: Report a bug, with the run's report; its checkpoint has not moved.
 */
export class NotBalancedError extends SluiceError {
  readonly code = "NotBalanced";
}

/**
 * Thrown when something is held by another run: the message names it.
 *
 * To do: Wait for the run that the message names, or cancel it.
 */
export class BusyError extends SluiceError {
  readonly code = "Busy";
}

/**
 * Thrown when a lock is on its way from one run to another: it is asked for again.
 *
 * To do: Nothing: sluice asks again.
 */
export class LockWaitError extends SluiceError {
  readonly code = "LockWait";
  override readonly retryable = true;
  override readonly retryAfterMs = lockAskMs;
}

/**
 * Thrown when Temporal or a worker cannot be reached by a command.
 *
 * To do: Start Temporal and `sluice worker`, or correct `TEMPORAL_ADDRESS`.
 */
export class TemporalUnreachableError extends SluiceError {
  readonly code = "TemporalUnreachable";
  override readonly retryable = true;
}

/** Whether the records of a request that ended with this error may have been taken, or its page been paid for. */
export function mayHaveSucceeded(error: unknown): boolean {
  if (
    error instanceof ApiContractError ||
    error instanceof ApiRejectedError ||
    error instanceof TooLargeError
  ) {
    return error.mayHaveSucceeded;
  }
  return error instanceof OutcomeUnknownError;
}

/** The error that was thrown first, beneath those thrown while resources were closed after it. */
export function thrownFirst(error: unknown): unknown {
  let first = error;
  while (first instanceof SuppressedError) first = first.suppressed;
  return first;
}

/** The text of anything thrown, for a `cause` or a log line; never a stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` that Node, or whoever threw it, gave an error; empty without one. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : "";
}

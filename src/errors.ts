/** A reference to one refused record of a part: its index in the part and the field the service named. Never a value. */
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

/**
 * The root of every error that sluice itself throws. The class says what happens next (design: the table of errors);
 * `code` is the Temporal failure type and the `code` of `--json` errors, and never changes.
 */
export abstract class SluiceError extends Error {
  /** Stable name of the class of fault, for machines. */
  abstract readonly code: string;
  /** Whether Temporal may try the same activity again. */
  abstract readonly retryable: boolean;
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

/** Thrown when the service cannot be reached or answers 5xx before anything was applied. */
export class ApiUnavailableError extends SluiceError {
  readonly code = "Unavailable";
  readonly retryable = true;
}

/** Thrown when a source cannot be read just now; `afterMs` is the source's own hint. */
export class SourceUnavailableError extends SluiceError {
  readonly code = "Unavailable";
  readonly retryable = true;
  override readonly retryAfterMs: number | undefined;

  constructor(message: string, facts: ErrorFacts & { afterMs?: number } = {}) {
    super(message, facts);
    this.retryAfterMs = facts.afterMs;
  }
}

/** Thrown when the staging folder cannot be written: disk full, read-only, vanished. */
export class StagingError extends SluiceError {
  readonly code = "Unavailable";
  readonly retryable = true;
}

/** Thrown when the state store cannot be reached: locked too long, disk full, its thread gone. */
export class StateUnavailableError extends SluiceError {
  readonly code = "Unavailable";
  readonly retryable = true;
}

/** Thrown when bytes of a request left and no answer says what became of them: the same request is made again. */
export class OutcomeUnknownError extends SluiceError {
  readonly code = "OutcomeUnknown";
  readonly retryable = true;
}

/** Thrown when the service, its gateway or our own budget says "later". */
export class RateLimitedError extends SluiceError {
  readonly code = "RateLimited";
  readonly retryable = true;
  override readonly retryAfterMs: number;

  constructor(message: string, facts: ErrorFacts & { retryAfterMs: number }) {
    super(message, facts);
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** Thrown on 429 "credits exhausted": waiting does not help, spending stops. */
export class CreditsExhaustedError extends SluiceError {
  readonly code = "CreditsExhausted";
  readonly retryable = false;
}

/** Thrown when the service refuses records; `refused` is empty when it named none. */
export class ApiRejectedError extends SluiceError {
  readonly code = "RecordsRejected";
  readonly retryable = false;
  readonly refused: readonly RefusedRecord[];

  constructor(message: string, facts: ErrorFacts & { refused: readonly RefusedRecord[] }) {
    super(message, facts);
    this.refused = facts.refused;
  }
}

/** Thrown on 413: the part is to be split. */
export class TooLargeError extends SluiceError {
  readonly code = "TooLarge";
  readonly retryable = false;
}

/** Thrown when a confirm says that the uploaded file is gone for good (404 or 410). */
export class UploadGoneError extends SluiceError {
  readonly code = "UploadGone";
  readonly retryable = false;
}

/** Thrown when a source changed under the read: the chunk is staged again, three times, then the run stops. */
export class SourceChangedError extends SluiceError {
  readonly code = "SourceChanged";
  readonly retryable = false;
}

/** Thrown when the service refuses the API key (401, 403). */
export class ApiAuthError extends SluiceError {
  readonly code = "AuthFailed";
  readonly retryable = false;
}

/** Thrown when a source refuses our credentials. */
export class SourceAuthError extends SluiceError {
  readonly code = "AuthFailed";
  readonly retryable = false;
}

/** Thrown when an answer breaks the API document: says what was expected and what came. */
export class ApiContractError extends SluiceError {
  readonly code = "ContractBroken";
  readonly retryable = false;
}

/** Thrown when the configuration or a command's arguments are wrong: nothing to retry, `field` and `hint` say what to change. */
export class ConfigError extends SluiceError {
  readonly code = "ConfigError";
  readonly retryable = false;
}

/** Thrown when a staged file is not where the store says; the chunk is staged again. */
export class StagedFileMissingError extends SluiceError {
  readonly code = "StagedFileMissing";
  readonly retryable = false;
}

/** Thrown when a write comes from a staging that is no longer the chunk's newest, or from a run that lost its send lock. */
export class SupersededError extends SluiceError {
  readonly code = "Superseded";
  readonly retryable = false;
}

/** Thrown when a run was begun on another state store than this worker has. */
export class WrongStoreError extends SluiceError {
  readonly code = "WrongStore";
  readonly retryable = false;
}

/** Thrown when the sync's configuration is not the one its run was begun with: two mappings must not mix in one run. */
export class ConfigChangedError extends SluiceError {
  readonly code = "ConfigChanged";
  readonly retryable = false;
}

/** Thrown when the checkpoint is not the one this run began from: someone else moved it. */
export class CheckpointMovedError extends SluiceError {
  readonly code = "CheckpointMoved";
  readonly retryable = false;
}

/** Thrown when more rows were refused than `reject_limit` allows; nothing of the chunk was sent. */
export class TooManyRejectsError extends SluiceError {
  readonly code = "TooManyRejects";
  readonly retryable = false;
}

/** Thrown when a source holds fewer rows than `min_rows`. */
export class TooFewRowsError extends SluiceError {
  readonly code = "TooFewRows";
  readonly retryable = false;
}

/** Thrown when read = sent + unchanged + filtered + rejected does not hold (I2); names the bucket. */
export class NotBalancedError extends SluiceError {
  readonly code = "NotBalanced";
  readonly retryable = false;
}

/** Thrown when something is held by another run: the message names it. */
export class BusyError extends SluiceError {
  readonly code = "Busy";
  readonly retryable = false;
}

/** Thrown when Temporal or a worker cannot be reached by a command. */
export class TemporalUnreachableError extends SluiceError {
  readonly code = "TemporalUnreachable";
  readonly retryable = true;
}

/** The text of anything thrown, for a `cause` or a log line; never a stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

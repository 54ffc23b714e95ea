import { requestDeadlineMs } from "../limits.ts";

/** How often who waits for it looks whether it is free. */
export const lockLookMs = 1;

/** How long a process may write one transaction after another before it leaves a gap for others. */
export const lockBurstMs = 20;

/** That gap. */
export const lockGapMs = 2;

/**
 * Faults, and refusals without a hint, further apart than this are not in a row; more than the longest step
 * and a slow answer.
 */
export const faultForgottenMs = 10 * 60_000;

/** How long a reserved permit outlives its time. */
export const reservationExpiresMs = 30_000;

/** While a higher priority waits, a lower one gets one permit in this many. */
export const lowPriorityPermits = 10;

/** Failures in a row that open a circuit breaker: one probe at a time passes then. */
export const failuresMax = 5;

/** Longest time between two probes. */
export const probeStepMs = 30_000;

/** How long the end of a probe is waited for: a little more than a JSON request may take. */
export const probeLostMs = requestDeadlineMs + 5_000;

/** Silence after which a worker is no reason any more to leave the store's schema as it is. */
export const beatsKeepSchemaMs = 60_000;

/** How often a worker tells the store that it lives. */
export const hostBeatMs = 10_000;

/** Silence after which nothing is kept of a worker. */
export const hostForgottenMs = 24 * 3_600_000;

/** Time to the first probe; doubles with each that fails. */
export const probeFirstMs = 1_000;

/**
 * Fields of a sync whose hashes are kept, 4 bytes a record and field; a change of another field is seen, and
 * not named.
 */
export const fieldSlotsMax = 256;

/** Rows of one SQLite transaction: a longer one blocks every other process. */
export const transactionRowsMax = 1_000;

/** How long a statement waits for another process's lock. */
export const lockWaitMs = 10_000;

/**
 * The heap of a store's thread. It begins before `sizeHeaps` of a worker, and the young generation that V8 takes by
 * itself became 134 MB in a run of many rows, which was no faster for it.
 */
export const storeThreadLimits = { maxYoungGenerationSizeMb: 12 };

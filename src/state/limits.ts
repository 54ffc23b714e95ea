import { requestDeadlineMs } from "../limits.ts";

/** How often a waiting process checks whether the lock is free. */
export const lockLookMs = 1;

/** How long a process may write one transaction after another before it leaves a gap for others. */
export const lockBurstMs = 20;

/** Length of that gap. */
export const lockGapMs = 2;

/**
 * Faults, and refusals without a hint, that are further apart than this do not count as in a row. It exceeds the
 * longest step plus a slow answer.
 */
export const faultForgottenMs = 10 * 60_000;

/** How long a permit stays reserved after its time. */
export const reservationExpiresMs = 30_000;

/** While a higher priority waits, a lower one gets one permit in this many. */
export const lowPriorityPermits = 10;

/** Failures in a row that open a circuit breaker, which then lets one probe at a time through. */
export const failuresMax = 5;

/** Longest time between two probes. */
export const probeStepMs = 30_000;

/** How long to wait for a probe to end: a little more than a JSON request may take. */
export const probeLostMs = requestDeadlineMs + 5_000;

/** Silence after which a worker no longer keeps the store's schema from being changed. */
export const beatsKeepSchemaMs = 60_000;

/** How often a worker writes its beat to the store. */
export const hostBeatMs = 10_000;

/** Silence after which a worker is forgotten. */
export const hostForgottenMs = 24 * 3_600_000;

/** Time to the first probe; doubles with each failed one. */
export const probeFirstMs = 1_000;

/**
 * Fields of a sync whose hashes are kept, 4 bytes for each record and field. A change in any other field is noticed,
 * but the field is not named.
 */
export const fieldSlotsMax = 256;

/** Rows of one SQLite transaction: a longer one blocks every other process. */
export const transactionRowsMax = 1_000;

/** How long a statement waits for another process's lock. */
export const lockWaitMs = 10_000;

/**
 * The heap of a store's thread. By default, V8's young generation grew to 134 MB in a run of many rows, without making
 * it any faster.
 */
export const storeThreadLimits = { maxYoungGenerationSizeMb: 12 };

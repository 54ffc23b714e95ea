/** A wait up to this long is slept inside the activity; a longer one frees the worker slot. */
export const sleepInActivityMsMax = 1_000;

/** First step of the back-off after a "slow down" without a hint. */
export const backoffBaseMs = 2_000;

/** Longest step of that back-off. */
export const backoffMaxMs = 60_000;

/** After refusals for this long, without a hint or a success, the credits are assumed to be used up. */
export const creditsSuspectedMs = 3_600_000;

/** The most time over which waiters for a failing service come back: all at once would be a storm on our own store. */
export const probeSpreadMs = 10_000;

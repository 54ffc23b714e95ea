/** A wait up to this long is slept inside the activity; a longer one gives the worker slot back. */
export const sleepInActivityMsMax = 1_000;

/** First step of the back-off after "slow down" without a hint. */
export const backoffBaseMs = 2_000;

/** Longest step of that back-off. */
export const backoffMaxMs = 60_000;

/** Time of refusals without a hint and without one success after which the credits are taken to be used up. */
export const creditsSuspectedMs = 3_600_000;

/** Over how long those who wait for a failing service come back, at most: at once would be a storm on our own store. */
export const probeSpreadMs = 10_000;

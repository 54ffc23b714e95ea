/** How long the service may take to show an accepted record: until then none counts as missing (our choice). */
export const processingMsMax = 24 * 3_600_000;

/** Records that are looked up by default. */
export const sampleDefault = 200;

/** The most records that are looked up: their lines are held in memory. */
export const sampleMax = 10_000;

/** How long a lookup waits for its permit, or for a service that asks it to slow down, before it stops. */
export const permitWaitMsMax = 60_000;

/** Consecutive faults after which a lookup stops: each may have cost a call. */
export const lookFaultsMax = 3;

/** Results that are requested: a second one is enough to know that the match is ambiguous. */
export const resultsAsked = 2;

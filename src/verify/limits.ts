/** How long the service may take to show what it accepted: until then nothing is called missing (our choice). */
export const processingMsMax = 24 * 3_600_000;

/** Records that are looked up unless it is said how many. */
export const sampleDefault = 200;

/** Records that are looked up at most: their lines are held in memory. */
export const sampleMax = 10_000;

/** How long a look waits for its permit, or for a service that asks it to slow down, before it stops. */
export const permitWaitMsMax = 60_000;

/** Faults in a row with which a look stops: each may have cost a call. */
export const lookFaultsMax = 3;

/** Results that are asked for: a second one is enough to know that nothing says which is meant. */
export const resultsAsked = 2;

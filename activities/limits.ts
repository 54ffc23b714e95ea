/** Time after which a chunk ends at the next page. */
export const chunkMsMax = 5 * 60_000;

/**
 * The same of a chunk in which nothing leaves: a run that is interrupted again and again gets to its end all
 * the same.
 */
export const chunkUnsentMsMax = 15_000;

/** How often a staging tells the store how far it has read. */
export const stageNotedMs = 2_000;

/** Time between the note that a request begins and its first byte, in ms: after it the request is not sent. */
export const leaveMsMax = 5_000;

/** Time that is added to the deadline of a request before what it may apply is held to be applied, in ms. */
export const landingMarginMs = 60_000;

/**
 * Unknown outcomes in a row after which a part is sent once more only, and that once the service has taken
 * another request.
 */
export const poisonTimesMax = 5;

/** Longest step of the back-off after a fault that may pass. */
export const retryDelayMsMax = 60_000;

/** Reject reasons in the details of a backfill under way: they are in its history with every chunk. */
export const detailsReasonsMax = 3;

/** Heap of one staging thread. */
export const stageThreadHeapMiB = 256;

/** Young generation of one staging thread; what V8 takes by itself made a worker 100 MB larger, and no faster. */
export const stageThreadYoungMiB = 24;

/** Characters of one: it is in the run's history. */
export const runWarningCharsMax = 1_000;

/** A run that ended longer ago is told of no more. */
export const notifyLateMsMax = 24 * 3_600_000;

/** Rejects after which a chunk of a replay ends: they are marked in the transaction that commits it. */
export const replayChunkRowsMax = 5_000;

/**
 * Domains that a run may see refused, and none taken, before it is the query that is refused: each may cost
 * credits.
 */
export const domainRefusalsMax = 20;

/** How often a worker removes the staged files that ended runs have left. */
export const cleanUpEveryMs = 60_000;

/** Transactions in which one check removes events of a connection, and event ids: what is left goes with the next. */
export const cleanUpStepsMax = 100;

/** How long a drain's run that had nothing to tell is kept. */
export const drainRunsKeptMs = 24 * 3_600_000;

/** Such runs of a sync that one check removes. */
export const drainRunsPrunedMax = 1_000;

/** Shortest delay before another attempt: Temporal takes 0 for "no retry at all", and rounds what is shorter. */
export const retryDelayMsMin = 1_000;

/**
 * A rate limit longer than this is the workflow's to wait for, where a person sees it; a shorter one, or an
 * outage, is Temporal's.
 */
export const waitInActivityRetryMsMax = 30_000;

/** How often an activity tells Temporal that it lives. */
export const heartbeatMs = 2_000;

/** How long a run that is held waits for a person, in ms; its files and its lock stay meanwhile. */
export const heldMsMax = 7 * 24 * 3_600_000;

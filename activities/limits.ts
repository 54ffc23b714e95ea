/** Time after which a chunk ends at the next page. */
export const chunkMsMax = 5 * 60_000;

/** The same for a chunk of which nothing leaves: so a run that is interrupted again and again still gets to its end. */
export const chunkUnsentMsMax = 15_000;

/** How often a staging notes in the store how far it has read. */
export const stageNotedMs = 2_000;

/** How long a look at the place of a pull holds for the statements that write its page, in ms. */
export const lookHoldsMs = 1_000;

/**
 * Longest time between the note that a request begins and its first byte, or between the look at the place of a pull
 * and the writing of its page, in ms; after it nothing is sent or written.
 */
export const leaveMsMax = 5_000;

/** Time after a request's deadline, in ms, until everything that it may apply counts as applied. */
export const landingMarginMs = 60_000;

/**
 * Unknown outcomes in a row after which a part is sent only once more, and only after the service has accepted another
 * request.
 */
export const poisonTimesMax = 5;

/** Longest back-off step after a temporary fault. */
export const retryDelayMsMax = 60_000;

/** Reject reasons in the details of a running backfill: every chunk writes them to its history. */
export const detailsReasonsMax = 3;

/** Heap of one staging thread. */
export const stageThreadHeapMiB = 256;

/** Young generation of one staging thread; V8's own choice made a worker 100 MB larger, and no faster. */
export const stageThreadYoungMiB = 24;

/** Characters of one warning: it is in the run's history. */
export const runWarningCharsMax = 1_000;

/** Nobody is notified of a run that ended longer ago. */
export const notifyLateMsMax = 24 * 3_600_000;

/** Rejects after which a chunk of a replay ends: they are marked in the transaction that commits it. */
export const replayChunkRowsMax = 5_000;

/**
 * Refused domains of a run, with none accepted, after which the query itself counts as refused: each may cost credits.
 */
export const domainRefusalsMax = 20;

/** Domains in a row on which the service fails, after which it counts as failing on all of them. */
export const failingDomainsMax = 3;

/** How often a worker removes the staged files that ended runs have left. */
export const cleanUpEveryMs = 60_000;

/** Transactions in which one check removes events of a connection, and event ids; the next check removes the rest. */
export const cleanUpStepsMax = 100;

/**
 * How long accepted events of a connection that is not configured now are kept: it may come back, or have another
 * retention in the file of another host.
 */
export const formerRetentionMs = 7 * 24 * 3_600_000;

/** How long a drain's run is kept that had nothing to report. */
export const drainRunsKeptMs = 24 * 3_600_000;

/** Such runs of a sync that one check removes. */
export const drainRunsPrunedMax = 1_000;

/** Shortest delay before another attempt: Temporal takes 0 for "no retry at all", and rounds shorter delays. */
export const retryDelayMsMin = 1_000;

/**
 * The workflow waits for a longer rate limit than this, where a person sees it; Temporal waits for a shorter one, and
 * for an outage.
 */
export const waitInActivityRetryMsMax = 30_000;

/** How often an activity sends Temporal a heartbeat. */
export const heartbeatMs = 2_000;

/** How long a held run waits for a person, in ms; its files and its lock stay meanwhile. */
export const heldMsMax = 7 * 24 * 3_600_000;

/** Time between two checks whether a request that has not ended is over, in ms. */
export const resendLookMs = 5 * 60_000;

/** Longest pause between two failing resends of a sync, in ms. */
export const resendPauseMsMax = 3_600_000;

/** Times a chunk is staged again because its source changed or its file vanished. */
export const restagesPerChunkMax = 3;

/** Times a confirm may find its upload gone before the run stops. */
export const uploadsPerPartMax = 5;

/** Events in a history from which on a run waits no more; from 51,200 on Temporal terminates it. */
export const historyEventsMax = 40_000;

/** Characters of an error in a run's current details, which hold 20,000 bytes in all. */
export const detailsErrorCharsMax = 4_000;

/** Hosts in a row that a run may lose before it stops. */
export const hostsLostMax = 5;

/** Pages of job postings that one activity asks for: most companies have one. */
export const postingPagesPerActivity = 50;

/** How long a plan waits for a person. */
export const approvalWaitMs = 7 * 24 * 3_600_000;

/** How often a lane is begun in all: a failed lane continues once more, after its last commit. */
export const laneTriesMax = 2;

/** How long a drain leaves a sync alone after a failed run; doubles with each failure. */
export const drainBackoffMs = 60_000;

/** Longest such pause. */
export const drainBackoffMsMax = 15 * 60_000;

/** The same for a sync that another run is sending. */
export const drainBusyBackoffMs = 15_000;

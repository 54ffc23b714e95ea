// What the service, Temporal and the README promise or bound, and what several folders share, each with its
// source. The other numbers are in the `limits.ts` of the one folder that reads them. Units come last in the
// name.

// ---- The service -------------------------------------------------------------------------------------------------

/** Largest upload-json body as sent, envelope included (docs/facts/service.md#limits: "1 MB, uncompressed"). */
export const lightweightBodyBytesMax = 1_000_000;

/**
 * Largest compressed file we PUT; the service takes "2 GB" (docs/facts/service.md#limits), read as the
 * smaller of its meanings.
 */
export const uploadBytesMax = 2_000_000_000;

/** Requests per minute and endpoint of the legacy API (docs/facts/service.md#errors). */
export const legacyRequestsPerMinute = 600;

// ---- The client (our choice) -------------------------------------------------------------------------------------

/** Deadline of one JSON request, from connect to the last byte of the answer; below the activity's startToClose. */
export const requestDeadlineMs = 100_000;

/** A wait up to this long is slept inside the activity; a longer one gives the worker slot back. */
export const sleepInActivityMsMax = 1_000;

// ---- Chunks, parts, pages (our choice) ----------------------------------------------------------------------------

/** Rows read after which a chunk ends, so that a mostly unchanged source still saves checkpoints. */
export const chunkRowsReadMax = 1_000_000;

/** Rows a connector may put into one page. */
export const pageRowsMax = 1_000;

/** Largest CSV row; a longer one is most likely an unclosed quote. */
export const rowBytesMax = 1_000_000;

/**
 * Extra uploads that splitting may cause in one run, whatever `reject_limit` asks for: each leaves about 15
 * events, and a workflow's history may hold 51,200.
 */
export const splitsPerRunMax = 2_000;

/** Failures in a row after which a fault that seldom passes stops the run: an answer of the wrong kind, a full disk. */
export const faultTimesMax = 3;

/** How long a name may fail to resolve. */
export const unresolvedMsMax = 10 * 60_000;

/** Time between two looks whether a request that has not ended is over, in ms. */
export const resendLookMs = 5 * 60_000;

/** The longest pause between two resends of a sync that fail, in ms. */
export const resendPauseMsMax = 3_600_000;

/** Shortest delay before another attempt: Temporal takes 0 for "no retry at all", and rounds what is shorter. */
export const retryDelayMsMin = 1_000;

/** Times a chunk is staged again because its source changed or its file vanished. */
export const restagesPerChunkMax = 3;

/** Times a confirm may find its upload gone before the run stops. */
export const uploadsPerPartMax = 5;

// ---- State (our choice) -------------------------------------------------------------------------------------------

/** Rows of one SQLite transaction: a longer one blocks every other process. */
export const transactionRowsMax = 1_000;

/** How long a statement waits for another process's lock. */
export const lockWaitMs = 10_000;

/** Characters of its source row that a reject keeps. */
export const rejectRowCharsMax = 64 * 1024;

// ---- Temporal (docs/facts/temporal.md#limits) -----------------------------------------------------------------------

/** Characters of an error in a run's current details, which hold 20,000 bytes in all. */
export const detailsErrorCharsMax = 4_000;

/** Reject reasons named in a report. */
export const reportReasonsMax = 10;

// ---- Configuration (our choice) -----------------------------------------------------------------------------------

/**
 * Characters of a connection's or sync's name; a sync's name is a fairness key, which Temporal bounds
 * (docs/facts/temporal.md#limits).
 */
export const nameCharsMax = 64;

// ---- Requests (our choice) ----------------------------------------------------------------------------------------

/** Time to a connection, TLS included. */
export const connectTimeoutMs = 10_000;

/** Longest delay a JavaScript timer keeps; a longer one fires at once. */
export const timerMsMax = 2 ** 31 - 1;

// ---- Records and mapping (our choice) -----------------------------------------------------------------------------

/** Levels of objects and lists in a record's properties, the properties object itself included. */
export const recordDepthMax = 32;

/** Longest piece of an error of a mapping module that a reject keeps. */
export const mappingErrorCharsMax = 200;

// ---- Rate limits (our choice) -------------------------------------------------------------------------------------

/** First step of the back-off after "slow down" without a hint. */
export const backoffBaseMs = 2_000;

/** Longest step of that back-off. */
export const backoffMaxMs = 60_000;

/** Time of refusals without a hint and without one success after which the credits are taken to be used up. */
export const creditsSuspectedMs = 3_600_000;

/**
 * A rate limit longer than this is the workflow's to wait for, where a person sees it; a shorter one, or an
 * outage, is Temporal's.
 */
export const waitInActivityRetryMsMax = 30_000;

/** Time to the first probe; doubles with each that fails. */
export const probeFirstMs = 1_000;

/** Over how long those who wait for a failing service come back, at most: at once would be a storm on our own store. */
export const probeSpreadMs = 10_000;

/** How often an activity tells Temporal that it lives. */
export const heartbeatMs = 2_000;

/** Activities of the shared queue that one worker runs at once. */
export const sharedActivitiesMax = 20;

/** Activities with local files that one worker runs at once: its disk's share. */
export const hostActivitiesMax = 4;

/** How often a worker tells the store that it lives. */
export const hostBeatMs = 10_000;

/** Silence after which nothing is kept of a worker. */
export const hostForgottenMs = 24 * 3_600_000;

/** Hosts in a row that a run may lose before it stops. */
export const hostsLostMax = 5;

/** Warnings of a source that a run keeps. */
export const runWarningsMax = 20;

// ---- Pages of search and enrichment (our choice) ------------------------------------------------------------------

/** Highest cursor: an int32 (docs/facts/service.md#search). */
export const cursorMax = 2 ** 31 - 1;

// ---- Notifications (our choice) -----------------------------------------------------------------------------------

/** Receivers of notifications. */
export const notifyTargetsMax = 10;

/** Tries of one notification. With the steps of its policy that is about an hour. */
export const notifyTriesMax = 20;

/** How long Temporal may take to take a notification: its run's end waits so long. */
export const notifyStartMsMax = 5_000;

// ---- Status (our choice) ------------------------------------------------------------------------------------------

/** How long `status` waits for Temporal to say what a run waits for. */
export const statusTemporalMsMax = 3_000;

// ---- Schedules (our choice) ---------------------------------------------------------------------------------------

/** How late a run may still start that Temporal, being away, did not start in time. */
export const scheduleCatchUpMs = 12 * 3_600_000;

/**
 * A wanted run counts as missed when it has not begun so long after its time; more than the jitter and a slow
 * start.
 */
export const missedAfterMs = 5 * 60_000;

/** Missed runs that are counted. */
export const missedRunsCountedMax = 1_000;

/** How long a run that missed others waits for Temporal to say why. */
export const scheduleStateMsMax = 5_000;

/** How long `schedule trigger` waits for Temporal to start the run. */
export const triggerMsMax = 10_000;

// ---- What changed, and replays (our choice) -----------------------------------------------------------------------

/**
 * Fields of a sync whose hashes are kept, 4 bytes a record and field; a change of another field is seen, and
 * not named.
 */
export const fieldSlotsMax = 256;

// ---- Pulls (our choice) -------------------------------------------------------------------------------------------

/** Pages of job postings that one activity asks for: most companies have one. */
export const postingPagesPerActivity = 50;

// ---- Backfills (our choice) ---------------------------------------------------------------------------------------

/** Lanes of a backfill: each takes a slot of its host and a chunk's room on its disk. */
export const lanesMax = 16;

/** Chunks of one lane: each lane's are numbered from a multiple of it on. A chunk holds a row at least. */
export const laneChunksMax = 1_000_000;

/** How often a lock is asked for that another run is to give back, ms. */
export const lockAskMs = 1_000;

/** How long a plan waits for a person. */
export const approvalWaitMs = 7 * 24 * 3_600_000;

/** How often a lane is begun in all: one that failed continues once more, after its last commit. */
export const laneTriesMax = 2;

/** Fields that a plan names among those that differ. */
export const planFieldsMax = 20;

// ---- Commands of webhooks (our choice) ----------------------------------------------------------------------------

/** An event that waits longer than this is late: `status` says so. */
export const inboxLateMs = 5 * 60_000;

// ---- Inbox as a source (our choice) -------------------------------------------------------------------------------

/** Events that are read of an inbox at a time, because each may be as large as a body. */
export const inboxReadRows = 8;

// ---- Draining inboxes (our choice) --------------------------------------------------------------------------------

/** How long one call of the notifier may take. */
export const wakeCallMsMax = 5_000;

/** How long a drain leaves a sync alone whose run failed; doubles with each that fails. */
export const drainBackoffMs = 60_000;

/** Longest such rest. */
export const drainBackoffMsMax = 15 * 60_000;

/** The same of a sync that another run is sending. */
export const drainBusyBackoffMs = 15_000;

// ---- Webhook receiver (our choice where no source is named) -------------------------------------------------------

/** Time to the end of a request's head (docs/facts/faults.md#webhooks). */
export const receiverHeadMsMax = 3_000;

/** Time to the end of a request (docs/facts/faults.md#webhooks). */
export const receiverRequestMsMax = 5_000;

/**
 * How often the receiver looks for requests that took longer: looked at once a second, they were answered up
 * to two seconds late (measured).
 */
export const receiverCheckMs = 250;

/**
 * How long a connection is kept for its next request; longer than the 60 s that proxies keep theirs, who else
 * meet a closed one.
 */
export const receiverKeepAliveMs = 72_000;

/** Connections at once; further ones are closed as they come. */
export const receiverConnectionsMax = 4_096;

/** Bytes of a request's head (Node's own default). */
export const receiverHeadBytesMax = 16 * 1024;

/** How long requests under way have when the receiver closes. */
export const receiverCloseMs = 10_000;

// ---- Deliveries (our choice) --------------------------------------------------------------------------------------

/** Events of one delivery: what is kept in one transaction. */
export const deliveryEventsMax = 1_000;

// ---- Promised in the README -----------------------------------------------------------------------------------------

/** How long the id of an event that was pushed is remembered. */
export const eventIdsKeptMs = 7 * 24 * 3_600_000;

/** Domains of one pull. */
export const pullDomainsMax = 1_000_000;

/** A hint longer than this is not waited for: the run stops and says so. */
export const retryAfterMsMax = 24 * 3_600_000;

/** Compressed bytes after which a chunk ends at the next page. */
export const chunkBytesDefault = 64 * 1024 * 1024;

/** Records after which a chunk ends at the next page. A small chunk bounds what a crash repeats. */
export const chunkRecordsDefault = 100_000;

/** Bytes of a `sluice.yaml`. */
export const configBytesMax = 256 * 1024;

/** Calls of one run: each costs credits, and a mistake in a filter must not cost all of them. */
export const pullCallsDefault = 10_000;

/** Results asked for at a time. The highest limit that the service takes is not documented. */
export const pullPageSizeDefault = 100;

/** Requests per second over all workers when the configuration does not say. */
export const requestsPerSecondDefault = 10;

/** Largest single record in JSON that any mode sends; the sandbox refuses longer lines. */
export const recordBytesMax = 1_000_000;

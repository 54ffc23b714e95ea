// Limits of the service and of Temporal, promises of docs/reference.md, and numbers that several folders share. Every
// other number is in the `limits.ts` of its own folder. Units come last in the name.

// ---- The service and Temporal -------------------------------------------------------------------------------------

/** Largest upload-json body as sent, envelope included (docs/facts/service.md#limits: "1 MB, uncompressed"). */
export const lightweightBodyBytesMax = 1_000_000;

/**
 * Largest compressed file we PUT; the service takes "2 GB" (docs/facts/service.md#limits), read as the
 * smaller of its meanings.
 */
export const uploadBytesMax = 2_000_000_000;

/** Largest record as JSON that the sandbox takes in a file; the service states no limit (our choice). */
export const recordBytesMax = 1_000_000;

/** Requests per minute and endpoint of the legacy API (docs/facts/service.md#errors). */
export const legacyRequestsPerMinute = 600;

/**
 * Characters of a connection's or sync's name; a sync's name is a fairness key, which Temporal bounds
 * (docs/facts/temporal.md#limits).
 */
export const nameCharsMax = 64;

// ---- Promised in the tables of docs/reference.md ------------------------------------------------------------------

/** Largest CSV row; a longer one is most likely an unclosed quote. */
export const rowBytesMax = 1_000_000;

/** Records after which a chunk ends at the next page. A small chunk bounds what a crash repeats. */
export const chunkRecordsDefault = 100_000;

/** Compressed bytes after which a chunk ends at the next page. */
export const chunkBytesDefault = 64 * 1024 * 1024;

/** Rows read after which a chunk ends, so that a mostly unchanged source still saves checkpoints. */
export const chunkRowsReadMax = 1_000_000;

/** Requests per second over all workers when the configuration does not say. */
export const requestsPerSecondDefault = 10;

/** Longest wait that an answer may ask for: beyond it the run stops and says so. */
export const retryAfterMsMax = 24 * 3_600_000;

/**
 * Extra uploads that splitting may cause in one run, whatever `reject_limit` asks for: each leaves about 15
 * events, and a workflow's history may hold 51,200.
 */
export const splitsPerRunMax = 2_000;

/** Characters of its source row that a reject keeps. */
export const rejectRowCharsMax = 64 * 1024;

/** Results asked for at a time. The highest limit that the service takes is not documented. */
export const pullPageSizeDefault = 100;

/** Calls of one run: each costs credits, and a mistake in a filter must not cost all of them. */
export const pullCallsDefault = 10_000;

/** Domains of one pull. */
export const pullDomainsMax = 1_000_000;

/** How late a run may still start if Temporal was away at its time. */
export const scheduleCatchUpMs = 12 * 3_600_000;

/** Tries of one notification. With the steps of its policy that is about an hour. */
export const notifyTriesMax = 20;

/** Lanes of a backfill: each takes a slot of its host and a chunk's room on its disk. */
export const lanesMax = 16;

/** Events of one delivery, which are kept in one transaction. */
export const deliveryEventsMax = 1_000;

/** How long the id of a pushed event is remembered. */
export const eventIdsKeptMs = 7 * 24 * 3_600_000;

/** Bytes of a `sluice.yaml`. */
export const configBytesMax = 256 * 1024;

// ---- Shared by several folders (our choice) -----------------------------------------------------------------------

/** Deadline of one JSON request, from connect to the last byte of the answer; below the activity's startToClose. */
export const requestDeadlineMs = 100_000;

/** Rows a connector may put into one page. */
export const pageRowsMax = 1_000;

/** How long a name may fail to resolve. */
export const unresolvedMsMax = 10 * 60_000;

/** Reject reasons named in a report. */
export const reportReasonsMax = 10;

/** Time to a connection, TLS included. */
export const connectTimeoutMs = 10_000;

/** Longest delay a JavaScript timer keeps; a longer one fires at once. */
export const timerMsMax = 2 ** 31 - 1;

/** Warnings of a source that a run keeps. */
export const runWarningsMax = 20;

/** Receivers of notifications. */
export const notifyTargetsMax = 10;

/** Fields that a plan names among those that differ. */
export const planFieldsMax = 20;

/** Values of one event, because each takes far more memory than its text: all of 10 MB may become 220 MB. */
export const jsonValuesMax = 500_000;

/** How long one call of the notifier may take. */
export const wakeCallMsMax = 5_000;

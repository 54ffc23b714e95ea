// Every number that bounds something, with its source: (contract, section) or (our choice). Units stand last in the name.

// ---- The service -------------------------------------------------------------------------------------------------

/** Largest upload-json body as sent, envelope included (contract, section 8: "1 MB, uncompressed"). */
export const lightweightBodyBytesMax = 1_000_000;

/** Largest compressed file we PUT; the service takes "2 GB" (contract, section 8), read as the smaller of its meanings. */
export const uploadBytesMax = 2_000_000_000;

/** Requests per minute and endpoint of the legacy API (published facts, Errors). */
export const legacyRequestsPerMinute = 600;

// ---- The client (our choice) -------------------------------------------------------------------------------------

/** Requests per second over all workers when the configuration does not say. */
export const requestsPerSecondDefault = 10;

/** Deadline of one JSON request, from connect to the last byte of the answer; below the activity's startToClose. */
export const requestDeadlineMs = 100_000;

/** Deadline of a PUT: this much plus one second per `putBytesPerSecondMin`. */
export const putDeadlineBaseMs = 600_000;

/** Slowest PUT that is still waited for. */
export const putBytesPerSecondMin = 512 * 1024;

/** Time to the answer's headers of a JSON request. */
export const headersTimeoutMs = 60_000;

/** Time to the answer's headers of a PUT: it also fires on slow readers, because kernel buffers hide them. */
export const putHeadersTimeoutMs = 120_000;

/** Largest answer that is read. */
export const answerBytesMax = 1_000_000;

/** Longest piece of a foreign message that is shown. */
export const foreignTextCharsMax = 500;

/** A hint longer than this is not waited for: the run stops and says so. */
export const retryAfterMsMax = 24 * 3_600_000;

/** A wait up to this long is slept inside the activity; a longer one gives the worker slot back. */
export const sleepInActivityMsMax = 1_000;

/** How long a credits gate stays closed when `api.credits_retry` does not say. */
export const creditsRetryMsDefault = 24 * 3_600_000;

// ---- Chunks, parts, pages (our choice) ----------------------------------------------------------------------------

/** Records after which a chunk ends at the next page. A small chunk bounds what a crash repeats. */
export const chunkRecordsDefault = 100_000;

/** Compressed bytes after which a chunk ends at the next page. */
export const chunkBytesDefault = 64 * 1024 * 1024;

/** Rows read after which a chunk ends, so that a mostly unchanged source still saves checkpoints. */
export const chunkRowsReadMax = 1_000_000;

/** Time after which a chunk ends at the next page. */
export const chunkMsMax = 5 * 60_000;

/** Rows a connector may put into one page. */
export const pageRowsMax = 1_000;

/** Largest CSV row; a longer one is most likely an unclosed quote. */
export const rowBytesMax = 1_000_000;

/** Largest single record in JSON that any mode sends; the sandbox refuses longer lines. */
export const recordBytesMax = 1_000_000;

/** JSONL bytes deflated at a time; a unit of work for zlib's threads. */
export const deflateBlockBytes = 1024 * 1024;

/** Lightweight bodies a batch may need before `auto` turns to heavyweight. */
export const lightweightPartsMaxDefault = 1;

/** Extra uploads that splitting may cause in one run before it stops: then the mapping is wrong, not a record. */
export const splitsPerRunMax = 200;

/** Times a chunk is staged again because its source changed or its file vanished. */
export const restagesPerChunkMax = 3;

/** Times a confirm may find its upload gone before the run stops. */
export const uploadsPerPartMax = 5;

/** Chunks of a lane staged or uploading at once. */
export const chunksInFlightMax = 2;

// ---- State (our choice) -------------------------------------------------------------------------------------------

/** Rows of one SQLite transaction: a longer one blocks every other process. */
export const transactionRowsMax = 1_000;

/** How long a statement waits for another process's lock. */
export const lockWaitMs = 10_000;

/** Rejected rows kept per run with their source row. */
export const rejectRowBytesMax = 64 * 1024;

// ---- Temporal (temporal.md, section 8) ----------------------------------------------------------------------------

/** Bytes of a run's current details. */
export const detailsBytesMax = 20_000;

/** Reject reasons named in a report. */
export const reportReasonsMax = 10;

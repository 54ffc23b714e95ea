/** Deadline of a PUT: this much plus one second per `putBytesPerSecondMin`. */
export const putDeadlineBaseMs = 600_000;

/** Slowest PUT that is tolerated. */
export const putBytesPerSecondMin = 512 * 1024;

/** Time to the answer's headers of a JSON request. */
export const headersTimeoutMs = 60_000;

/** Time to the answer's headers of a PUT: it also fires on slow readers, because kernel buffers hide them. */
export const putHeadersTimeoutMs = 120_000;

/** Largest answer that is read. */
export const answerBytesMax = 1_000_000;

/** Longest piece of a foreign message that is shown. */
export const foreignTextCharsMax = 500;

/**
 * As `faultTimesMax`, for a page that came whole but has the wrong shape: each try is paid for, and no network fault
 * causes that.
 */
export const misreadPageTimesMax = 2;

/** How often a confirm may report that the file is unknown before the file is uploaded again. */
export const notFoundTimesMax = 5;

/** How long a confirm may report that. */
export const notFoundMsMax = 60_000;

/**
 * PUTs that are cut within the same block of this size are cut at one place: the sockets' buffers blur it by several MB
 * (measured).
 */
export const cutPlaceBytes = 16 * 1024 * 1024;

/** How long a confirm or an upload-json on the wire may still finish when its activity is cancelled. */
export const cancelGraceMs = 1_000;

/** Longest `file_key` accepted: the limit of an S3 key. */
export const fileKeyCharsMax = 1_024;

/** Bytes of a staged file read, hashed and sent at a time. */
export const putBlockBytes = 1024 * 1024;

/** Largest page that is read; after a larger one fewer results are asked for. */
export const pageBytesMax = 64_000_000;

/** Pages without a result that are followed in a row. */
export const emptyPagesMax = 3;

/** Pages with results that are followed beyond the number expected from the total. */
export const extraPagesMax = 2;

/** Highest cursor: an int32 (docs/facts/service.md#search). */
export const cursorMax = 2 ** 31 - 1;

/** Failures in a row after which a fault that seldom clears stops the run: an answer of the wrong kind, a full disk. */
export const faultTimesMax = 3;

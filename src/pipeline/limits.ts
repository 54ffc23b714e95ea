/** JSONL bytes deflated at a time; a unit of work for zlib's threads. */
export const deflateBlockBytes = 1024 * 1024;

/** Extra uploads that splitting may cause in one run, unless `reject_limit` asks for more. */
export const splitsPerRunMin = 200;

/**
 * How long refused records are not tried again in a chunk that is not committed: the fault may have been the service's
 * own.
 */
export const refusalKnownMs = 24 * 3_600_000;

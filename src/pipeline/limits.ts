/** JSONL bytes deflated at a time; a unit of work for zlib's threads. */
export const deflateBlockBytes = 1024 * 1024;

/** Extra uploads that splitting may cause in one run, where `reject_limit` asks for no more. */
export const splitsPerRunMin = 200;

/**
 * How long what the service refused is not tried again in a chunk that is not committed: the fault may have
 * been its own.
 */
export const refusalKnownMs = 24 * 3_600_000;

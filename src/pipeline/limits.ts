/** JSONL bytes deflated at a time; a unit of work for zlib's threads. */
export const deflateBlockBytes = 1024 * 1024;

/** Extra uploads that splitting may cause in one run, where `reject_limit` asks for no more. */
export const splitsPerRunMin = 200;

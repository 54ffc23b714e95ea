/** Requests per second over all workers when the configuration does not say. */
export const requestsPerSecondDefault = 10;

/** Records after which a chunk ends at the next page. A small chunk bounds what a crash repeats. */
export const chunkRecordsDefault = 100_000;

/** Compressed bytes after which a chunk ends at the next page. */
export const chunkBytesDefault = 64 * 1024 * 1024;

/** Lightweight bodies a batch may need before `auto` turns to heavyweight. */
export const lightweightPartsMaxDefault = 1;

/** Bytes of a `sluice.yaml`. */
export const configBytesMax = 256 * 1024;

/** Values in a `sluice.yaml` once its aliases are followed, so that a few lines cannot grow into millions. */
export const configValuesMax = 20_000;

/** Levels of nesting in a `sluice.yaml`, aliases followed: one that holds itself ends here. */
export const configDepthMax = 32;

/** Problems of a configuration that one error shows; the rest is counted. */
export const configProblemsMax = 100;

/** Bytes of a file that holds a secret. */
export const secretFileBytesMax = 64 * 1024;

/** Highest `lightweight.parts_max`: beyond it a heavyweight upload always takes fewer requests. */
export const lightweightPartsMaxHighest = 100;

/** Longest duration a setting takes: ten years. */
export const durationMsMax = 3_650 * 24 * 3_600_000;

/** Results asked for at a time. The highest limit that the service takes is not documented. */
export const pullPageSizeDefault = 100;

/** Calls of one run: each costs credits, and a mistake in a filter must not cost all of them. */
export const pullCallsDefault = 10_000;

/** Walks over a search while results are missing that changed places: the first and two more (design: P16). */
export const pullWalksMax = 3;

/** Rows up to which a backfill needs nobody's consent when the configuration does not say. */
export const approveBelowDefault = 10_000;

/** Lightweight bodies a batch may need before `auto` switches to heavyweight. */
export const lightweightPartsMaxDefault = 1;

/** Values in a `sluice.yaml` once its aliases are followed, so that a few lines cannot grow into millions. */
export const configValuesMax = 20_000;

/** Levels of nesting in a `sluice.yaml`, aliases followed: an alias that contains itself ends here. */
export const configDepthMax = 32;

/** Problems of a configuration that one error shows; the rest is counted. */
export const configProblemsMax = 100;

/** Bytes of a file that holds a secret. */
export const secretFileBytesMax = 64 * 1024;

/** Highest `lightweight.parts_max`: beyond it a heavyweight upload always takes fewer requests. */
export const lightweightPartsMaxHighest = 100;

/** Longest duration a setting takes: ten years. */
export const durationMsMax = 3_650 * 24 * 3_600_000;

/**
 * Passes over a search while results that changed places are missing: the first and two more
 * (docs/facts/faults.md#promises).
 */
export const pullPassesMax = 3;

/** Rows up to which a backfill needs no consent when the configuration does not set it. */
export const approveUpToDefault = 10_000;

/** Bytes that a run may stage if it is weighed before it sends: a few hundred million records, compressed. */
export const stagingBytesMaxDefault = 50_000_000_000;

/** Highest `advanced.staging_max`: a petabyte is a typing error. */
export const stagingBytesHighest = 1_000_000_000_000_000;

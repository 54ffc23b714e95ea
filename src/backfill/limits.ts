/** Lanes if the input does not say. */
export const lanesDefault = 4;

/** Keys that a backfill takes by name; more belong in a file. */
export const namedKeysMax = 1_000;

/** Characters of such a key. */
export const namedKeyCharsMax = 256;

/** Characters of a backfill's note. */
export const noteCharsMax = 500;

/** Characters of a place or time that is typed in. */
export const spanEndCharsMax = 100;

/** Rows of a span that a plan samples; also the fewest rows of a run from which it takes its rate. */
export const sampleRowsMax = 1_000;

/** Sample records that are kept with a plan. */
export const planSamplesMax = 10;

/** Rows that make a lane worthwhile: with fewer rows there are fewer lanes. */
export const laneRowsMin = 5_000;

/** A plan stays valid while its rows have not moved by more than this many, or by `planMovedShareMax` of them. */
export const planMovedRowsMax = 100;

/** See `planMovedRowsMax`. */
export const planMovedShareMax = 0.01;

/** Runs of a sync that are searched for the rate of the last one that read enough. */
export const rateRunsMax = 100;

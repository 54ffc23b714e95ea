/** Lanes when nobody says. */
export const lanesDefault = 4;

/** Keys that a backfill is told by name: more are a file's. */
export const namedKeysMax = 1_000;

/** Characters of such a key. */
export const namedKeyCharsMax = 256;

/** Characters of a backfill's note. */
export const noteCharsMax = 500;

/** Characters of a place or time that is typed in. */
export const spanEndCharsMax = 100;

/** Rows of a span that a plan looks at, and of the last run that it takes its rate from at least. */
export const sampleRowsMax = 1_000;

/** Sample records that are kept with a plan. */
export const planSamplesMax = 10;

/** Rows that a lane is worth: with fewer there are fewer lanes. */
export const laneRowsMin = 5_000;

/** A plan holds while its rows have not moved by more than this many, or by `planMovedShareMax` of them. */
export const planMovedRowsMax = 100;

/** See `planMovedRowsMax`. */
export const planMovedShareMax = 0.01;

/** Runs of a sync that are looked through for the rate of the last one that read enough. */
export const rateRunsMax = 100;

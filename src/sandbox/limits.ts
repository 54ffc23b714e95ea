// The sandbox's own limits; the API document's numbers are in ../limits.ts. Units come last in a name.

/** Inflated bytes a gzip may hold per byte received before it counts as a bomb (our choice; zlib reaches 1,032). */
export const inflationRatioMax = 100;

/**
 * Inflated bytes to which the ratio does not apply: a short file of similar records compresses better than any bomb
 * needs to (our choice).
 */
export const inflationFreeBytes = 1024 * 1024;

/** Bytes of lines that the index takes in one transaction; meanwhile no other request is answered. */
export const indexPieceBytes = 256 * 1024;

/** Inflated bytes of one file, whatever its ratio (our choice). */
export const inflatedBytesMax = 20_000_000_000;

/**
 * Size of the pieces in which files are inflated and checked: so small that other requests are answered in
 * between, and that few buffers live long enough to reach the old generation, which keeps them until a full
 * collection.
 */
export const inflatePieceBytes = 16 * 1024;

/** Refused records named in one 422; the check ends with the last of them (our choice). */
export const refusedRecordsMax = 100;

/** Longest unknown member name that a 422 repeats in `loc`. */
export const locNameCharsMax = 200;

/** Levels of objects and arrays in a record; deeper ones are refused (our choice). */
export const nestingDepthMax = 100;

/** How long an upload address stays valid when the settings do not say (the API document leaves it open). */
export const uploadUrlTtlMsDefault = 15 * 60_000;

/**
 * Megabytes of the young generation of the sandbox's thread: a 700 MB upload took 121 MB of RSS with 24, and
 * 140 MB with 12 (measured).
 */
export const youngGenerationMegabytesMax = 24;

/**
 * Items of a page when a search names no limit (documented for job postings, docs/facts/service.md#search; for the
 * others our choice).
 */
export const pageItemsDefault = 20;

/** Items that a page may have when the settings do not say (our choice). */
export const pageItemsMaxDefault = 100;

/** Largest 32-bit integer, which `limit` and `cursor` are (docs/facts/service.md#search). */
export const int32Max = 2 ** 31 - 1;

/** Filters of a search (our choice). */
export const filtersMax = 100;

/** Values of one filter (our choice). */
export const filterValuesMax = 1_000;

/** Properties that a search sorts by (our choice). */
export const sortItemsMax = 10;

/** Characters of a search's text (our choice). */
export const searchCharsMax = 1_000;

/**
 * Searches whose order is kept for their next pages: ordering 100,000 accounts took 80 ms, a page of them 4 ms
 * (measured).
 */
export const keptOrdersMax = 4;

/** Added to the cursor by a held-back page; items beyond this position have no page. */
export const heldBackCursorStep = 2 ** 26;

// Numbers that bound reading and writing a CSV file (our choice, all of them); the row and page limits are in
// src/limits.ts.

/** Bytes read from a file at a time: below 256 KB the cost of reads shows, above 1 MB that of memory. */
export const blockBytes = 512 * 1024;

/** Bytes hashed at the start of a file, and before a position, to recognise it when a read resumes. */
export const hashedBytes = 64 * 1024;

/** Bytes of a file after which a page ends, because rows may be long and a page is held in memory. */
export const csvPageBytesMax = 8 * 1024 * 1024;

/** A row above `rowBytesMax` is followed this far to find where it ends; reading stops at a longer one. */
export const longRowBytesMax = 64 * 1024 * 1024;

/** Columns a file may have. */
export const columnsMax = 4_096;

/** Characters of a path or pattern; what Linux takes as a path. */
export const pathCharsMax = 4_096;

/**
 * The most columns of a file whose rows are read as cells: with more, the places of the cells take more memory than the
 * cells.
 */
export const cellColumnsMax = 256;

/** How long to wait for a file that is not there: it may be late, or about to be put in place. */
export const missingFileMs = 5 * 60_000;

/** Files a pattern may match. */
export const filesMax = 10_000;

/** Unpacked bytes for each byte of a gzip file; real CSV stays below 100, the format ends at 1,032. */
export const gzipRatioMax = 500;

/** Unpacked bytes below which the ratio is not checked, so that a tiny file may be as repetitive as it likes. */
export const gzipRatioFreeBytes = 1024 * 1024;

/** Unpacked bytes of one gzip file. */
export const unpackedBytesMax = 1_000_000_000_000;

/** Characters of a column's name that a message shows. */
export const nameCharsShown = 100;

/** Names a message lists before it says how many more there are. */
export const namesShownMax = 5;

/** The age beyond which nobody is still working on a half-written file next to the one that a write-back makes. */
export const leftoverMs = 60 * 60_000;

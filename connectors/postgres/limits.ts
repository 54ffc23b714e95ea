// Numbers that bound the Postgres connector (our choice, except where a source is named); page and row limits are in
// src/limits.ts.

/** Columns that a key may have; what a Postgres index may have (INDEX_MAX_KEYS). */
export const keyColumnsMax = 32;

/** Characters of a `query:`. */
export const queryCharsMax = 100_000;

/** How long a statement may take when the configuration does not say. */
export const statementTimeoutMsDefault = 5 * 60_000;

/** Longest `statement_timeout` that may be set; a day still fits a JavaScript timer. */
export const statementTimeoutMsMax = 24 * 3_600_000;

/**
 * How long after `statement_timeout` a silent connection is abandoned: then the network is gone, and the server is not
 * just slow.
 */
export const silenceMs = 30_000;

/**
 * How long a statement waits for a lock, such as a migration's; then Temporal tries again, and no slot is held
 * meanwhile.
 */
export const postgresLockWaitMs = 30_000;

/** How soon the server notices that we hung up in the middle of a statement. */
export const hangUpCheckMs = 2_000;

/** Overlap of a change column that holds times, when the configuration does not say. */
export const overlapMsDefault = 3_600_000;

/** How long before it was prepared a transaction is assumed to have begun, unless the overlap is longer. */
export const beforePreparedMs = 3_600_000;

/**
 * By how much a server's clock may go back between two runs, or a machine's clock forward, before that is reported: NTP
 * steps less.
 */
export const clockStepMs = 60_000;

/**
 * The most that clocks are put back in a night; until they have caught up, a checkpoint of local times is as far ahead
 * of them.
 */
export const clocksPutBackMs = 3_600_000;

/**
 * No zone is ahead of another by as much: if the newest row is further from the server's clock, there is another
 * reason.
 */
export const zonesApartMs = 26 * 3_600_000;

/** Rows that one statement reads: enough that its start does not show, and few enough to be held. */
export const blockRowsMax = 10_000;

/** Bytes after which a statement reads no further. */
export const blockBytesMax = 16 * 1024 * 1024;

/**
 * Bytes after which the rows of a fetch are not kept: more than one of the usual size ends at. The rows before them may
 * have been much smaller.
 */
export const heldBytesMax = 32 * 1024 * 1024;

/** The longest time of a block after which the next is read ahead: a slow server gets no request in vain. */
export const aheadMsMax = 250;

/** The largest block after which the next one is read ahead: two of them are held then. */
export const aheadBytesMax = 8 * 1024 * 1024;

/** Bytes of a row, as the server sends it, above which it is always read as an object. */
export const cellRowBytesMax = 64 * 1024;

/** Bytes that one fetch of a statement aims at; the fetches before it show how many rows they are. */
export const fetchBytes = 4 * 1024 * 1024;

/** Rows of one fetch. */
export const fetchRowsMax = 5_000;

/** Rows of the first fetch, when nothing is known of their size. */
export const firstFetchRows = 10;

/** Failures in a row by `statement_timeout` after which a read ends, each with half the rows of the one before. */
export const timeoutsMax = 3;

/** Rows that are counted one by one; beyond them the planner's estimate is given. */
export const countedRowsMax = 1_000_000;

/**
 * How long the rows stamped in the future are counted when a run opens: the run reports the number, and does not depend
 * on it.
 */
export const futureCountMs = 5_000;

/** How long the greatest value of a numeric change column is looked for when a run opens; an index gives it at once. */
export const greatestMs = 5_000;

/** Addresses of one database that are remembered: a primary and its replicas. */
export const addressesKnownMax = 10;

/** Rows stamped in the future that are counted. */
export const futureRowsMax = 100_000;

/** Columns that a message names before it says how many more there are. */
export const columnsShownMax = 20;

/** Bytes of a table that is sorted so fast that it needs no index on its change column. */
export const smallTableBytes = 8 * 1024 * 1024;

/** How long a write waits for a row that another session holds; then the page is tried again later. */
export const rowLockWaitMs = 10_000;

/** How often a row is written that is removed, made or renamed by other sessions meanwhile. */
export const writeTriesMax = 3;

/** Connections that one process has to one database, all its threads together. */
export const connectionsMax = 2;

/** How long the connection of a thread that died counts as in use; longer than any thread is busy at a stretch. */
export const slotLeaseMs = 60_000;

/** How long to wait for a free connection before Temporal gives the place to other work. */
export const slotWaitMs = 90_000;

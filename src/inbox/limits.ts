/** How long the server of an inbox in Postgres may leave a query unanswered: senders wait meanwhile. */
export const inboxSilenceMsMax = 10_000;

/** How long a run waits for a store in Postgres that is a standby, is read-only, or has no tables at the moment. */
export const unfitStoreMsMax = 10 * 60_000;

/** Bytes of a hash of an id or of a body. */
export const idHashBytes = 16;

/**
 * Event ids of a segment, which is merged in its order while the next one fills. A process has two segments in memory,
 * with 52 bytes per id.
 */
export const recentIdsMax = 131_072;

/** Characters of deliveries that are kept in one transaction, unless one delivery alone has more. */
export const inboxGroupCharsMax = 8 * 1024 * 1024;

/** Bytes of events after which a read ends: whoever posts decides how large an event is. */
export const inboxReadBytesMax = 1_000_000;

/** Pages of the inbox's log (4 MB) before they go into its file, which delays senders that wait for a 2xx. */
export const inboxLogPages = 1_000;

/** KiB of the inbox's file that a process keeps in memory: an event is written once and read once. */
export const inboxCacheKib = 16_384;

/** Time to a notifier's second call after the first failed; doubles with each failure. */
export const wakeFirstMs = 1_000;

/** Longest time between two calls of a notifier. */
export const wakeStepMsMax = 30_000;

/** Header lines of a request. */
export const receiverHeaderLinesMax = 100;

/** Bytes of a body that any request may hold in memory; a larger one takes its share of `receiverBodiesBytesMax`. */
export const receiverSmallBodyBytes = 16 * 1024;

/** Bytes of larger bodies that are read at a time, so that senders that stop in the middle cannot fill the memory. */
export const receiverBodiesBytesMax = 64 * 1024 * 1024;

/** Bytes of an unwanted body that are discarded (docs/facts/faults.md#webhooks). */
export const receiverDrainBytesMax = 64 * 1024;

/** How long a sender of an unwanted body has to read its answer. */
export const receiverDrainMs = 1_000;

/** `Retry-After` of a delivery that cannot be kept for now. */
export const receiverRetryAfterSeconds = 10;

/** How long deliveries are refused unread after a write failed; then the next one is tried, and so on. */
export const receiverRestMs = 1_000;

/**
 * Shortest time between two log lines that a delivery to a connection is not believed (our choice): anyone may post
 * one.
 */
export const unbelievedLogMs = 60_000;

/** How often the receiver looks at the state of the inbox. */
export const receiverLookMs = 1_000;

/** Time to the end of a request's head (docs/facts/faults.md#webhooks). */
export const receiverHeadMsMax = 3_000;

/** Time to the end of a request (docs/facts/faults.md#webhooks). */
export const receiverRequestMsMax = 5_000;

/**
 * How often the receiver looks for requests that took longer: with one look a second, they were answered up to two
 * seconds late (measured).
 */
export const receiverCheckMs = 250;

/**
 * How long a connection is kept for its next request; longer than the 60 s of proxies, which would otherwise meet a
 * closed connection.
 */
export const receiverKeepAliveMs = 72_000;

/** Connections at once; further ones are closed as they come. */
export const receiverConnectionsMax = 4_096;

/** Bytes of a request's head (Node's own default). */
export const receiverHeadBytesMax = 16 * 1024;

/** How long requests under way have when the receiver closes. */
export const receiverCloseMs = 10_000;

/** An event that waits longer than this is late: `status` says so. */
export const inboxLateMs = 5 * 60_000;

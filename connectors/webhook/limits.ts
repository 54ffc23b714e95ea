// Numbers that bound what is pushed to a connection; the events of one delivery are bounded in src/limits.ts.

/** How far a signed timestamp may be off, either way (Standard Webhooks' libraries, and Stripe's: 5 minutes). */
export const timestampOffMsMax = 300_000;

/** Signatures of one delivery that are checked (our choice). */
export const signaturesMax = 8;

/**
 * Secrets of one connection: the one in use, and those that come or go (our choice); each costs a delivery
 * one HMAC.
 */
export const secretsMax = 4;

/** Shortest secret, as the bytes that sign (our choice): a shorter one may be guessed. */
export const secretBytesMin = 16;

/** Characters of a path, and of a pointer to an id (our choice). */
export const webhookPathCharsMax = 200;

/** Largest body when the configuration does not say (our choice). */
export const bodyBytesDefault = 1_000_000;

/**
 * Highest setting of it (our choice): a body is verified and parsed in one go, and every other delivery waits
 * meanwhile.
 */
export const bodyBytesHighest = 10_000_000;

/** How long a drain waits for more events when the configuration does not say (our choice). */
export const lingerMsDefault = 300;

/** Highest setting of it (our choice): an event that comes alone waits this long. */
export const lingerMsMax = 60_000;

/** How long sent events are kept when the configuration does not say (our choice). */
export const retentionMsDefault = 24 * 3_600_000;

/** Waiting events at which deliveries are refused when the configuration does not say (our choice). */
export const backlogDefault = 1_000_000;

/** Highest setting of it (our choice). */
export const backlogHighest = 100_000_000;

/** The largest answer; undici ends the request beyond it. */
export const pageAnswerBytesMax = 32 * 1024 * 1024;

/** How long one request may take in all, unless the connector says so itself. */
export const requestMsDefault = 30_000;

/** The most rows that changed at one time: a position names each of them. */
export const rowsAtOneTimeMax = 10_000;

/** Characters of the hash that stands for an entry's content. */
export const signChars = 12;

/** How far clocks of hosts may differ: a position that is ahead of now by less may be one of a moment ago. */
export const clockOffMsMax = 3_600_000;

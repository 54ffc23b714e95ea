/** Characters of events after which a page ends. */
export const inboxPageCharsMax = 8_000_000;

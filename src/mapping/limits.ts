/** Longest host name (RFC 1035, section 2.3.4, as text without the root dot). */
export const hostCharsMax = 253;

/** Longest e-mail address (RFC 5321, section 4.5.3.1.3, without the angle brackets). */
export const emailCharsMax = 254;

/** Longest part of an e-mail address before the @ (RFC 5321, section 4.5.3.1.1). */
export const emailLocalCharsMax = 64;

/** Longest piece of an error of a mapping module that a reject keeps. */
export const mappingErrorCharsMax = 200;

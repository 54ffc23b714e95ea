/**
 * What `JSON.stringify` writes for a byte of a text: 0 is the byte itself, `unicodeEscape` its code in hexadecimal
 * digits, anything else the letter behind a backslash.
 */
export const escapeOf = new Uint8Array(256);

/** The letter before a code. */
export const unicodeEscape = 0x75;

/** Bytes that one byte becomes at most. */
export const escapedBytesMax = 6;

for (let byte = 0; byte < 0x80; byte += 1) {
  const [, backslash, letter = ""] = JSON.stringify(String.fromCharCode(byte));
  if (backslash === "\\") escapeOf[byte] = letter.charCodeAt(0);
}

/** What steers a terminal, breaks a line or turns the direction of reading. */
const steering = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/**
 * Text of a foreign program or file made harmless for a terminal or a log of lines: one line, without control
 * characters.
 */
export function plainText(text: string): string {
  return text.replaceAll(steering, " ");
}

/** JSON on one line that is as harmless, and reads as the same value: what steers is escaped. */
export function plainJson(value: unknown): string {
  // JSON.stringify escapes the control characters below U+0020 alone.
  return plainJsonText(JSON.stringify(value));
}

/** The same of JSON text of one line, whose numbers keep their digits. */
export function plainJsonText(json: string): string {
  return json.replaceAll(
    steering,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

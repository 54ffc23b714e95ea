/** Characters that control a terminal, break a line or turn the direction of reading. */
const steering = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;

/**
 * Text of a foreign program or file made harmless for a terminal or a line-based log: one line, without control
 * characters.
 */
export function plainText(text: string): string {
  return text.replaceAll(steering, " ");
}

/** JSON on one line that is just as harmless, and has the same value: control characters are escaped. */
export function plainJson(value: unknown): string {
  // JSON.stringify escapes only the control characters below U+0020.
  return plainJsonText(JSON.stringify(value));
}

/** The same for JSON text on one line; its numbers keep their digits. */
export function plainJsonText(json: string): string {
  return json.replaceAll(
    steering,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

// A text in Postgres cannot hold U+0000, but a key may. It is written as two characters there, and so is U+0001, with
// which these begin.

/** A text as a column or a list of Postgres holds it; half a surrogate pair becomes U+FFFD, as in UTF-8. */
export function withoutNul(text: string): string {
  const whole = text.toWellFormed();
  return whole.includes("\u0000") || whole.includes("\u0001")
    ? whole.replaceAll("\u0001", "\u0001\u0001").replaceAll("\u0000", "\u0001\u0002")
    : whole;
}

/** Reverses `withoutNul`. */
export function withNul(text: string): string {
  if (!text.includes("\u0001")) return text;
  const between = text.split("\u0001\u0001");
  return between.map((part) => part.replaceAll("\u0001\u0002", "\u0000")).join("\u0001");
}

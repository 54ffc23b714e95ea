// A text in Postgres cannot hold U+0000, which a key may. It is written as two characters there, and so is the one
// that these begin with.

/** A text as a column or a list of Postgres holds it; half a surrogate pair is what UTF-8 makes of it. */
export function withoutNul(text: string): string {
  const whole = text.toWellFormed();
  return whole.includes("\u0000") || whole.includes("\u0001")
    ? whole.replaceAll("\u0001", "\u0001\u0001").replaceAll("\u0000", "\u0001\u0002")
    : whole;
}

/** A text that `withoutNul` made as it was. */
export function withNul(text: string): string {
  if (!text.includes("\u0001")) return text;
  const between = text.split("\u0001\u0001");
  return between.map((part) => part.replaceAll("\u0001\u0002", "\u0000")).join("\u0001");
}

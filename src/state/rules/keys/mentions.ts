/** Whether a JSON value is the text, or contains it as a value anywhere; a number counts as its digits. */
export function mentions(value: unknown, text: string): boolean {
  if (typeof value === "object" && value !== null) {
    return Object.values(value).some((member) => mentions(member, text));
  }
  return (typeof value === "string" || typeof value === "number") && String(value) === text;
}

/** The same for JSON text. In text of any other form, no letter or digit may adjoin a match. */
export function textMentions(written: string, text: string): boolean {
  try {
    return mentions(JSON.parse(written), text);
  } catch {
    const quoted = text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
    return new RegExp(String.raw`(?<![\p{L}\p{N}])${quoted}(?![\p{L}\p{N}])`, "u").test(written);
  }
}

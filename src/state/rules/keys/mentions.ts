/** Whether a value of JSON is the text, or holds it as a value somewhere; a number counts as its digits. */
export function mentions(value: unknown, text: string): boolean {
  if (typeof value === "object" && value !== null) {
    return Object.values(value).some((member) => mentions(member, text));
  }
  return (typeof value === "string" || typeof value === "number") && String(value) === text;
}

/** The same of JSON as it is written. In a line of another form no letter or digit may stand beside it. */
export function textMentions(written: string, text: string): boolean {
  try {
    return mentions(JSON.parse(written), text);
  } catch {
    const quoted = text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
    return new RegExp(String.raw`(?<![\p{L}\p{N}])${quoted}(?![\p{L}\p{N}])`, "u").test(written);
  }
}

const numberToken = /-?\d[\d.eE+-]*/y;
const keyEnd = /\s*:/y;

/**
 * Where a string of valid JSON ends, given where it begins. By hand: a pattern with escapes may exhaust the
 * matcher's stack on a long text.
 */
export function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (text.charAt(at) !== '"') at += text.charAt(at) === "\\" ? 2 : 1;
  return at + 1;
}

/** How many values a JSON text has, valid or not: each begins after a bracket or comma outside of strings. */
export function valuesIn(text: string): number {
  let [count, isInString] = [0, false];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') isInString = !isInString;
    else if (isInString) at += char === "\\" ? 1 : 0;
    else if (char === "," || char === "{" || char === "[") count += 1;
  }
  return count;
}

/** Where a number of valid JSON ends, given where it begins. */
export function numberEnd(text: string, start: number): number {
  return endOf(numberToken, text, start);
}

/** Whether the string that ended here is the key of a member. */
export function isKeyEnd(text: string, at: number): boolean {
  return endOf(keyEnd, text, at) > 0;
}

/** The text of a string with its quotes; "a" and "\\u0061" are the same. */
export function textOfString(quoted: string): string {
  return quoted.includes("\\") ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
}

/** Where a sticky pattern's match ends; 0 when it does not match. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  pattern.test(text);
  return pattern.lastIndex;
}

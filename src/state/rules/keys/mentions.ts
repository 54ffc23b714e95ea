import { isKeyEnd, numberEnd, stringEnd, textOfString } from "../../../mapping/json-tokens.ts";

/** Whether a JSON value is the text, or contains it as a value anywhere; a number counts as its digits. */
export function mentions(value: unknown, text: string): boolean {
  if (typeof value === "object" && value !== null) {
    return Object.values(value).some((member) => mentions(member, text));
  }
  return (typeof value === "string" || typeof value === "number") && String(value) === text;
}

/**
 * Whether a source's position names the row of a key. One with a `key` names it there: its other members, such as the
 * clock and the table's number, may equal a key by chance, as those may that only say what was read.
 */
export function positionMentions(position: unknown, key: string): boolean {
  if (typeof position !== "object" || position === null) return mentions(position, key);
  if ("key" in position) return mentions(position.key, key);
  return !("of" in position) && mentions(position, key);
}

/**
 * As `mentions`, for JSON text, also in a member that is repeated later. In text of any other form, no letter or digit
 * may adjoin a match.
 */
export function textMentions(written: string, text: string): boolean {
  if (isJson(written)) return hasValue(written, text);
  const quoted = text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${quoted}(?![\p{L}\p{N}])`, "u").test(written);
}

function isJson(written: string): boolean {
  try {
    JSON.parse(written);
    return true;
  } catch {
    return false;
  }
}

/** Token by token: a parser keeps the last of repeated members. */
function hasValue(json: string, text: string): boolean {
  let at = 0;
  while (at < json.length) {
    const char = json.charAt(at);
    if (char === '"') {
      const end = stringEnd(json, at);
      if (!isKeyEnd(json, end) && textOfString(json.slice(at, end)) === text) return true;
      at = end;
    } else if (char === "-" || (char >= "0" && char <= "9")) {
      const end = numberEnd(json, at);
      const number = json.slice(at, end);
      if (number === text || String(Number(number)) === text) return true;
      at = end;
    } else at += 1;
  }
  return false;
}

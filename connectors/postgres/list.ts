import { CoercionRefusal } from "../../src/mapping/refusal.ts";
import { garbled } from "./rows/garbled.ts";

/** The bounds of an array that does not begin at 1: `[0:2]={…}`. */
const bounds = /^(?:\[-?\d+:-?\d+\])+=/;

/**
 * The server's text of an array as JSON: nested lists for more dimensions, null for NULL. `itemJson` makes
 * the JSON of one item, or refuses it and with it the array.
 * @throws {RetryLater} an item has no end.
 */
export function listJson(
  text: string,
  delimiter: string,
  itemJson: (item: string) => string | CoercionRefusal,
): string | CoercionRefusal {
  let at = bounds.exec(text)?.[0].length ?? 0;
  let json = "";
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === "{" || char === "}" || char === delimiter) {
      json += char === "{" ? "[" : char === "}" ? "]" : ",";
      at += 1;
      continue;
    }
    const [item, end] = char === '"' ? quotedItem(text, at) : bareItem(text, { at, delimiter });
    const value = item === null ? "null" : itemJson(item);
    if (value instanceof CoercionRefusal) return value;
    json += value;
    at = end;
  }
  return json;
}

/** An item in quotes, which may hold any character (a quote or backslash after a backslash), and where it ends. */
function quotedItem(text: string, start: number): readonly [item: string, end: number] {
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === "\\" ? 2 : 1;
  if (at >= text.length) throw garbled();
  const item = text.slice(start + 1, at);
  return [item.includes("\\") ? item.replaceAll(/\\(.)/gs, "$1") : item, at + 1];
}

/** An item without quotes: NULL is null, while "NULL" is a text. */
function bareItem(
  text: string,
  from: { readonly at: number; readonly delimiter: string },
): readonly [item: string | null, end: number] {
  let end = from.at;
  while (end < text.length && text.charAt(end) !== "}" && text.charAt(end) !== from.delimiter) {
    end += 1;
  }
  if (end >= text.length) throw garbled();
  const item = text.slice(from.at, end);
  return [item === "NULL" ? null : item, end];
}

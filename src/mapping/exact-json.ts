import { recordDepthMax } from "../limits.ts";
import { exactNumber } from "./exact-number.ts";
import { Refusal } from "./refusal.ts";

const bad = new Refusal("bad_json", "is not valid JSON");
const deep = new Refusal("too_deep", "is JSON nested too deeply");
const duplicate = new Refusal(
  "duplicate_json_key",
  "is JSON with the same key twice in one object",
);
const inexact = new Refusal(
  "inexact_number",
  "is JSON with a number of more digits than a JSON number carries for every reader",
);

const numberToken = /-?\d[\d.eE+-]*/y;
const keyEnd = /\s*:/y;

/** Parses JSON; a Refusal stands for what is none, and for what `JSON.parse` would alter without a word: repeated keys, digits beyond a double's. */
export function parseExactJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text.
    return bad;
  }
  return alterationIn(text) ?? value;
}

/** Walks the tokens of valid JSON; `open` holds the keys of each open object, and null for each open list. */
function alterationIn(text: string): Refusal | undefined {
  const open: (Set<unknown> | null)[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    let end = at + 1;
    if (char === "{" || char === "[") {
      if (open.push(char === "{" ? new Set() : null) > recordDepthMax) return deep;
    } else if (char === "}" || char === "]") {
      open.pop();
    } else if (char === '"') {
      end = stringEnd(text, at);
      const keys = open.at(-1);
      if (keys && endOf(keyEnd, { text, at: end }) > 0) {
        const key = keyIn(text.slice(at, end));
        if (keys.has(key)) return duplicate;
        keys.add(key);
      }
    } else if (char === "-" || (char >= "0" && char <= "9")) {
      end = endOf(numberToken, { text, at });
      if (exactNumber(text.slice(at, end)) === undefined) return inexact;
    }
    at = end;
  }
  return undefined;
}

/** Unescaped, because "a" and "\\u0061" are one key. */
function keyIn(quoted: string): unknown {
  return quoted.includes("\\") ? JSON.parse(quoted) : quoted.slice(1, -1);
}

/** Where a sticky pattern's match ends; 0 when it does not match. */
function endOf(pattern: RegExp, from: { readonly text: string; readonly at: number }): number {
  pattern.lastIndex = from.at;
  pattern.test(from.text);
  return pattern.lastIndex;
}

/** The index after the closing quote. By hand: a pattern with escapes may exhaust the matcher's stack on a long text. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (text.charAt(at) !== '"') at += text.charAt(at) === "\\" ? 2 : 1;
  return at + 1;
}

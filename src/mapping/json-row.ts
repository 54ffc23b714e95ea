import { isPlainObject, recordDepthMax } from "../records/json-value.ts";
import type { Row } from "../records/streams.ts";
import { alterationIn } from "./exact-json.ts";
import { exactNumber } from "./exact-number.ts";
import { numberEnd, stringEnd, textOfString } from "./json-tokens.ts";
import { LongNumber, CoercionRefusal } from "./refusal.ts";

const duplicate = new CoercionRefusal("duplicate_json_key", "is twice in one JSON object");
const deep = new CoercionRefusal("too_deep", "is JSON nested too deeply");

/**
 * The members of a JSON object as a row, as `parseJsonExactly` gives them; undefined if the text is not a JSON object.
 */
export function parseJsonRow(text: string): Row | undefined {
  try {
    const value = parseJsonExactly(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Parses JSON. Where `JSON.parse` would silently alter a value, a `CoercionRefusal` takes its place, so that only a
 * mapping that reads it rejects the row: a repeated member, a value nested deeper than `recordDepthMax`, and, as a
 * `LongNumber`, a number of too many digits.
 * @throws {SyntaxError} the text is not JSON.
 */
export function parseJsonExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return alterationIn(text, isCarried) === undefined ? value : new ExactReader(text).value();
}

/**
 * Whether a number, as JSON writes it, is the same to every reader, as in a record: a whole number must be within
 * ±(2^53 - 1).
 */
export function isCarried(text: string): boolean {
  const number = exactNumber(text);
  return number !== undefined && (!Number.isInteger(number) || Number.isSafeInteger(number));
}

/** Reads valid JSON from its beginning. Slower than `JSON.parse`, which has already validated the text. */
class ExactReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    const char = this.#peek();
    if (char === "{" || char === "[") return this.#nested(char);
    const start = this.#at;
    if (char === '"') {
      this.#at = stringEnd(this.#text, start);
      return textOfString(this.#text.slice(start, this.#at));
    }
    if (char === "t" || char === "f" || char === "n") {
      this.#at += char === "f" ? "false".length : "true".length;
      return char === "n" ? null : char === "t";
    }
    this.#at = numberEnd(this.#text, start);
    const number = this.#text.slice(start, this.#at);
    return isCarried(number) ? Number(number) : new LongNumber(number);
  }

  #nested(open: "{" | "["): unknown {
    if (this.#depth === recordDepthMax) {
      this.#skipNested();
      return deep;
    }
    this.#depth += 1;
    this.#at += 1;
    const value = open === "{" ? this.#members() : this.#items();
    this.#depth -= 1;
    return value;
  }

  #members(): unknown {
    const members = new Map<string, unknown>();
    while (!this.#take("}")) {
      const key = String(this.value());
      this.#take(":");
      const value = this.value();
      members.set(key, members.has(key) ? duplicate : value);
      this.#take(",");
    }
    // Like JSON.parse, makes a key `__proto__` a member like any other.
    return Object.fromEntries(members);
  }

  #items(): unknown {
    const items: unknown[] = [];
    while (!this.#take("]")) {
      items.push(this.value());
      this.#take(",");
    }
    return items;
  }

  #skipNested(): void {
    let open = 0;
    do {
      const char = this.#peek();
      if (char === "{" || char === "[") open += 1;
      else if (char === "}" || char === "]") open -= 1;
      this.#at = char === '"' ? stringEnd(this.#text, this.#at) : this.#at + 1;
    } while (open > 0);
  }

  /** The next character that is not a blank. */
  #peek(): string {
    while (" \t\n\r".includes(this.#text.charAt(this.#at))) this.#at += 1;
    return this.#text.charAt(this.#at);
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at += 1;
    return true;
  }
}

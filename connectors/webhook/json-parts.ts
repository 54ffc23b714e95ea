import { stringEnd, textOfString } from "../../src/mapping/json-tokens.ts";

/** A member of an object, or an element of a list, as it is written. */
export type JsonPart = {
  /** Undefined in a list. */
  readonly key: string | undefined;
  readonly json: string;
};

/** The parts of the outermost object or list of valid JSON, in order; none for any other value. */
export function* jsonParts(text: string): Generator<JsonPart> {
  const json = text.trim();
  if (!/^[{[]/.test(json)) return;
  let depth = 0;
  let start = 1;
  let key: string | undefined;
  for (let at = 1; at < json.length; at++) {
    const char = json.charAt(at);
    if (char === '"') at = stringEnd(json, at) - 1;
    else if (char === "{" || char === "[") depth++;
    else if (depth > 0) depth -= char === "}" || char === "]" ? 1 : 0;
    else if (char === ":") {
      key = textOfString(json.slice(start, at).trim());
      start = at + 1;
    } else if (char === "," || char === "}" || char === "]") {
      const part = json.slice(start, at).trim();
      // Only an empty object or list has nothing here.
      if (part !== "") yield { key, json: part };
      start = at + 1;
    }
  }
}

/**
 * The value that a JSON pointer (RFC 6901) names in valid JSON, as it is written; undefined if there is none. If a key
 * occurs twice, the last one counts, as in `JSON.parse`.
 */
export function jsonAt(text: string, pointer: string): string | undefined {
  const names = pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce<string | undefined>((json, name) => partNamed(json, name), text);
}

function partNamed(json: string | undefined, name: string): string | undefined {
  if (json === undefined) return undefined;
  let found: string | undefined;
  let index = 0;
  for (const part of jsonParts(json)) {
    if ((part.key ?? String(index)) === name) found = part.json;
    index++;
  }
  return found;
}

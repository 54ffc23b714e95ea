import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseExactJson } from "../../../src/mapping/exact-json.ts";
import { CoercionRefusal } from "../../../src/mapping/refusal.ts";
import { recordDepthMax } from "../../../src/records/json-value.ts";

function codeOf(text: string): string | undefined {
  const result = parseExactJson(text);
  return result instanceof CoercionRefusal ? result.code : undefined;
}

const nested = (levels: number): string => `${"[".repeat(levels)}1${"]".repeat(levels)}`;

describe("parseExactJson", () => {
  it("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, "\t"), (text, indent) => {
        const value: unknown = JSON.parse(text);
        const written = JSON.stringify(value, undefined, indent);
        expect(parseExactJson(written)).toEqual(JSON.parse(written));
      }),
    );
  });

  it.each(["", "{", "{'a':1}", "[1,]", "NaN", "01", '"\n"', '"a', "1 2", '{"a":1'])(
    "refuses %j as no JSON",
    (text) => {
      expect(codeOf(text)).toBe("bad_json");
    },
  );

  it.each([
    '{"a":1,"a":1}',
    '{"a":1, "b":{"c":1}, "a" : 2}',
    '[{"x":{"a":1,"\\u0061":2}}]',
    '{"":1,"":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"a":"}","b":[{"a":1}],"a":3}',
    String.raw`{"\"":1,"\"":2}`,
  ])("refuses the repeated key in %s", (text) => {
    expect(codeOf(text)).toBe("duplicate_json_key");
  });

  it.each([
    '[{"a":1},{"a":1}]',
    '{"a":{"a":{"a":"a"}}}',
    '{"a":"a","b":"a"}',
    String.raw`{"a\\":1,"a":2}`,
    '{"a":["a","a",":"]}',
    '{"a":"b\\":","b":1}',
  ])("takes %s, where no object repeats a key", (text) => {
    expect(codeOf(text)).toBeUndefined();
  });

  it.each(["9007199254740993", "[1e400]", '{"a":{"b":-0.12345678901234567890}}'])(
    "refuses the number in %s",
    (text) => {
      expect(codeOf(text)).toBe("inexact_number");
    },
  );

  it("leaves digits in texts and keys alone", () => {
    expect(parseExactJson('{"9007199254740993":"9007199254740993"}')).toEqual({
      "9007199254740993": "9007199254740993",
    });
  });

  it("bounds the depth", () => {
    expect(codeOf(nested(recordDepthMax - 1))).toBeUndefined();
    expect(codeOf(nested(recordDepthMax))).toBeUndefined();
    expect(codeOf(nested(recordDepthMax + 1))).toBe("too_deep");
    expect(codeOf(nested(100_000))).toBe("too_deep");
  });

  it("keeps a key named __proto__ as a key", () => {
    const value = parseExactJson('{"__proto__":{"polluted":true}}');
    expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":true}}');
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});

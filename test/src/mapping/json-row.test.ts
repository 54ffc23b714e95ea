import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parseJsonRow } from "../../../src/mapping/json-row.ts";
import { LongNumber, CoercionRefusal } from "../../../src/mapping/refusal.ts";
import { recordDepthMax } from "../../../src/records/json-value.ts";

/** A value with each refusal in it replaced by `of`. */
function replaced(value: unknown, of: (refusal: CoercionRefusal) => unknown): unknown {
  if (value instanceof CoercionRefusal) return of(value);
  if (Array.isArray(value)) return value.map((item) => replaced(item, of));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, replaced(member, of)]),
  );
}

/** In the notation of the tests: a long number as its text in a group, a refusal as "!code". */
function shown(value: unknown): unknown {
  return replaced(value, (refusal) =>
    refusal instanceof LongNumber ? { long: refusal.text } : `!${refusal.code}`,
  );
}

/** As `JSON.parse` returns it: a long number as the double nearest to it. */
function rounded(value: unknown): unknown {
  return replaced(value, (refusal) => Number(refusal));
}

/** An object with `levels` levels of objects and lists, itself included. */
const nested = (levels: number): string =>
  `{"a":${"[".repeat(levels - 1)}1${"]".repeat(levels - 1)}}`;

describe("parseJsonRow", () => {
  it("reads an object as JSON.parse does, but for long numbers, however it is written", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (value, isSpaced) => {
        const text = JSON.stringify(value, undefined, isSpaced ? "\n\t " : undefined);
        expect(rounded(parseJsonRow(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("reads all else of an object in which something is refused as JSON.parse does", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 6 }),
        fc.constantFrom("", " \r\n\t"),
        (value, blanks) => {
          const rest = JSON.stringify(value, undefined, blanks);
          const text = `${blanks}{"long":123456789012345678901${blanks},"rest"${blanks}:${rest}}`;
          const row = parseJsonRow(text) ?? {};
          expect(rounded(row["rest"])).toEqual(JSON.parse(rest));
          expect(shown(row["long"])).toEqual({ long: "123456789012345678901" });
        },
      ),
    );
  });

  it.each(["", "{", "null", "1", '"{}"', "[]", '[{"a":1}]', "{'a':1}", '{"a":1} {}'])(
    "takes %j for no object",
    (text) => {
      expect(parseJsonRow(text)).toBeUndefined();
    },
  );

  it.each([
    ["9007199254740991", 9_007_199_254_740_991],
    ["-9007199254740991", -9_007_199_254_740_991],
    ["9007199254740992", { long: "9007199254740992" }],
    ["-9007199254740993", { long: "-9007199254740993" }],
    ["175928847299117063", { long: "175928847299117063" }],
    ["0.1", 0.1],
    ["0.30000000000000004", 0.1 + 0.2],
    ["0.1234567890123456789", { long: "0.1234567890123456789" }],
    ["1.10", 1.1],
    ["1e3", 1_000],
    ["1e400", { long: "1e400" }],
    ["-0", -0],
  ])("reads the number %s", (text, value) => {
    expect(shown(parseJsonRow(`{"n":${text},"in":[{"n":${text}}]}`))).toEqual({
      n: value,
      in: [{ n: value }],
    });
  });

  it.each([
    ['{"a":1,"b":2,"a":3}', { a: "!duplicate_json_key", b: 2 }],
    ['{"a":1,"a":1,"a":1}', { a: "!duplicate_json_key" }],
    ['{"a":1,"\\u0061":2}', { a: "!duplicate_json_key" }],
    ['{"d":{"x":[1,{"y":1,"y":2}]},"b":1}', { d: { x: [1, { y: "!duplicate_json_key" }] }, b: 1 }],
    ['{"a":{"k":1},"b":{"k":1}}', { a: { k: 1 }, b: { k: 1 } }],
    ['{"d":{},"l":[ ],"a":null,"a":null}', { d: {}, l: [], a: "!duplicate_json_key" }],
  ])("refuses the member alone that is twice in %s", (text, row) => {
    expect(shown(parseJsonRow(text))).toEqual(row);
  });

  it("keeps a key __proto__ a member like any other", () => {
    for (const text of ['{"__proto__":{"x":1}}', '{"__proto__":{"x":1},"n":1e999}']) {
      const row = parseJsonRow(text) ?? {};
      expect(Object.hasOwn(row, "__proto__")).toBe(true);
      expect(row["x"]).toBeUndefined();
    }
  });

  it("refuses what is nested deeper than a record may be, and nothing beside it", () => {
    for (const levels of [recordDepthMax - 1, recordDepthMax]) {
      expect(parseJsonRow(nested(levels))).toEqual(JSON.parse(nested(levels)));
    }
    const wide = `{"n":1e999,"a":[${Array.from({ length: recordDepthMax }, () => "[{}]").join()}]}`;
    expect(parseJsonRow(wide)?.["a"]).toEqual(Array.from({ length: recordDepthMax }, () => [{}]));

    let value = parseJsonRow(nested(recordDepthMax + 1))?.["a"];
    for (let level = 2; level < recordDepthMax; level += 1) {
      value = Array.isArray(value) ? value[0] : undefined;
    }
    expect(shown(value)).toEqual(["!too_deep"]);

    const abyss = `{"id":"1","a":${'{"]":['.repeat(100_000)}${"]}".repeat(100_000)},"b":2}`;
    const row = parseJsonRow(abyss);
    expect([row?.["id"], row?.["b"]]).toEqual(["1", 2]);
  });
});

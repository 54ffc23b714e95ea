import { describe, expect, it } from "vitest";

import { isPlainObject, jsonFaultOf, recordDepthMax } from "../../../src/records/json-value.ts";

function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}

describe("jsonFaultOf", () => {
  it.each([
    ["text", "tëxt 😀"],
    ["numbers", -1.5e300],
    ["null", null],
    ["lists and objects", { a: [1, { b: [] }], c: {} }],
    ["objects without a prototype", Object.assign(Object.create(null), { a: 1 })],
    ["members that are undefined, which are left out", { a: undefined }],
    ["a member named __proto__", JSON.parse('{"__proto__": {"a": 1}}')],
  ])("passes %s", (_, value) => {
    expect(jsonFaultOf(value)).toBeUndefined();
  });

  it.each([
    ["NaN", Number.NaN],
    ["Infinity", [Number.NEGATIVE_INFINITY]],
    ["a bigint", { a: 1n }],
    ["a function", { toJSON: () => 1 }],
    ["a symbol", Symbol("a")],
    ["undefined by itself", undefined],
    ["undefined in a list", [undefined]],
    ["a hole in a list", Array.from({ length: 2 }).concat(1)],
    ["a date", { a: new Date(0) }],
    ["a map", new Map()],
    ["a set", { a: new Set() }],
  ])("refuses %s", (_, value) => {
    expect(jsonFaultOf(value)).toBe("not_json");
  });

  it.each([
    ["text", "a\ud800b"],
    ["a key", { "\udc00": 1 }],
    ["a nested text", [[{ a: "\ud83d" }]]],
  ])("refuses half a surrogate pair in %s", (_, value) => {
    expect(jsonFaultOf(value)).toBe("lone_surrogate");
  });

  it("bounds the depth", () => {
    expect(jsonFaultOf(nested(recordDepthMax - 1))).toBeUndefined();
    expect(jsonFaultOf(nested(recordDepthMax))).toBeUndefined();
    expect(jsonFaultOf(nested(recordDepthMax + 1))).toBe("too_deep");
  });

  it("ends on a value that contains itself", () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    expect(jsonFaultOf(loop)).toBe("too_deep");
  });
});

describe("isPlainObject", () => {
  it("tells data from null, lists and classes", () => {
    expect([{}, Object.create(null), null, [], new Date(0), "a"].map(isPlainObject)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

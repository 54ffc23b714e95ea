import { describe, expect, it } from "vitest";

import { columnsOfPatches, patchFaultOf } from "../../../connectors/contract/patches.ts";
import { ConfigError } from "../../../src/errors.ts";
import type { JsonValue } from "../../../src/records/json-value.ts";

describe("columnsOfPatches", () => {
  it("names the columns in their order", () => {
    const patches = [{ key: { b: 1, a: 2 }, set: { z: null, y: 1 } }];
    expect(columnsOfPatches(patches)).toEqual({ key: ["b", "a"], set: ["z", "y"] });
  });

  it("refuses columns that could not be written", () => {
    for (const [key, set, field] of [
      [{}, { a: 1 }, "key"],
      [{ "": 1 }, {}, "set"],
      [{ a: 1 }, { "": 1 }, "set"],
      [{ a: 1 }, { a: 1 }, "set"],
    ] as const) {
      const columns = (): unknown => columnsOfPatches([{ key, set }]);
      expect(columns).toThrow(ConfigError);
      expect(columns).toThrow(expect.objectContaining({ field }));
    }
  });
});

describe("patchFaultOf", () => {
  it("finds nothing in what can be written", () => {
    const set = { a: null, b: "\\u0000", c: [[1, true], { d: "😀" }], e: "" };
    expect(patchFaultOf({ key: { id: "", n: 0, is: false }, set })).toBeUndefined();
  });

  it("says of a value that cannot be written which column it is for", () => {
    const nul = "the column a would get a NUL, which text cannot hold";
    const half = "the column a would get half of a character (a lone surrogate)";
    const faults: readonly (readonly [value: JsonValue, fault: string])[] = [
      ["x\0", nul],
      [["x", { deep: ["\0"] }], nul],
      [{ "na\0me": 1 }, nul],
      ["\ud800", half],
      [{ "\udfff": 1 }, half],
      [Number.NaN, "the column a would get what JSON cannot carry"],
    ];
    for (const [a, fault] of faults) {
      expect(patchFaultOf({ key: { id: 1 }, set: { a } })).toBe(fault);
      expect(patchFaultOf({ key: { a }, set: {} })).toBe(fault);
    }
    expect(patchFaultOf({ key: { id: 1, a: null }, set: {} })).toBe(
      "the key column a has no value",
    );
  });
});

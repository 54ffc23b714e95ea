import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { coercionNames, coercions } from "../../../src/mapping/coerce.ts";
import type { Coercion } from "../../../src/mapping/coerce.ts";
import { CoercionRefusal } from "../../../src/mapping/refusal.ts";

/** The value, or the code of the refusal as "!code". */
function outcome(coerce: Coercion, value: unknown): unknown {
  const result = coerce(value);
  return result instanceof CoercionRefusal ? `!${result.code}` : result;
}

type Golden = readonly (readonly [input: unknown, expected: unknown])[];

/** For each coercion, except those with a test file of their own. */
const golden: Readonly<
  Record<Exclude<keyof typeof coercions, "date" | "datetime" | "domain" | "email">, Golden>
> = {
  string: [
    ["007", "007"],
    [" a ", " a "],
    [7, "7"],
    [-1.5, "-1.5"],
    [true, "true"],
    [123456789012345678901234567890n, "123456789012345678901234567890"],
    [Number.MAX_SAFE_INTEGER, "9007199254740991"],
    [Number.MAX_SAFE_INTEGER + 1, "!inexact_number"],
    [Number.NaN, "!not_text"],
    [["a"], "!not_text"],
    [{}, "!not_text"],
  ],
  integer: [
    ["0", 0],
    ["-0", 0],
    ["+5", 5],
    ["007", 7],
    ["9007199254740990", 9007199254740990],
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", "!inexact_number"],
    ["-9007199254740991", -9007199254740991],
    ["-9007199254740992", "!inexact_number"],
    ["9".repeat(400), "!inexact_number"],
    ["1.0", "!not_integer"],
    ["1e3", "!not_integer"],
    ["1,000", "!not_integer"],
    ["0x10", "!not_integer"],
    ["٣", "!not_integer"],
    ["12 34", "!not_integer"],
    [12, 12],
    [-0, 0],
    [1.5, "!not_integer"],
    [2 ** 53, "!inexact_number"],
    [Number.NaN, "!not_integer"],
    [12n, 12],
    [2n ** 53n, "!inexact_number"],
    [true, "!not_integer"],
    [[5], "!not_integer"],
  ],
  number: [
    ["0", 0],
    ["-0.0", 0],
    ["-1234.5", -1234.5],
    ["1.50", 1.5],
    ["1e3", 1000],
    ["2.5E-3", 0.0025],
    ["0.1", 0.1],
    ["0.30000000000000004", 0.30000000000000004],
    ["0.3000000000000000444", "!inexact_number"],
    ["9007199254740993", "!inexact_number"],
    ["123456789012345", 123456789012345],
    ["1e400", "!inexact_number"],
    ["1e-400", "!inexact_number"],
    ["+5", "!not_number"],
    ["05", "!not_number"],
    [".5", "!not_number"],
    ["5.", "!not_number"],
    ["1,5", "!not_number"],
    ["NaN", "!not_number"],
    ["Infinity", "!not_number"],
    ["0x10", "!not_number"],
    [1.5, 1.5],
    [-0, 0],
    [Number.NaN, "!not_number"],
    [5n, 5],
    [2n ** 53n + 1n, "!inexact_number"],
    [false, "!not_number"],
  ],
  boolean: [
    ...["true", "TRUE", "t", "Yes", "y", "1"].map((text) => [text, true] as const),
    ...["false", "False", "f", "NO", "n", "0"].map((text) => [text, false] as const),
    [true, true],
    [1, true],
    [0, false],
    [-0, false],
    [2, "!not_boolean"],
    ["on", "!not_boolean"],
    ["constructor", "!not_boolean"],
    [{}, "!not_boolean"],
  ],
  json: [
    ['{"a":[1,null]}', { a: [1, null] }],
    [" 7 ", 7],
    ["{'a':1}", "!bad_json"],
    ['{"a":1,"a":2}', "!duplicate_json_key"],
    ["9007199254740993", "!inexact_number"],
    [7, 7],
  ],
};

describe.each(Object.entries(golden))("coercions.%s", (name, table) => {
  const coerce = new Map<string, Coercion>(Object.entries(coercions)).get(name);

  it.each(table)("takes %s to %s", (input, expected) => {
    expect(coerce && outcome(coerce, input)).toStrictEqual(expected);
  });
});

describe("coercions", () => {
  it("take an object already parsed as it is when json is asked for", () => {
    const parsed = { a: 1 };
    expect(coercions.json(parsed)).toBe(parsed);
  });

  it.each(coercionNames)("never throw when %s is asked for", (name) => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.anything()), (value) => {
        expect(() => coercions[name](value)).not.toThrow();
      }),
    );
  });

  it("give every number back that a double prints", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(coercions.number(String(number).replace("e+", "e"))).toBe(number + 0);
      }),
    );
  });

  it("give every decimal of fifteen digits back as the same decimal", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 15n - 1n }), fc.nat(14), (digits, places) => {
        const text = String(digits).padStart(places + 1, "0");
        const decimal = places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
        const number = coercions.number(decimal);
        expect(Number(number).toFixed(places)).toBe(decimal);
      }),
    );
  });

  it.each(["a", "a.", "9", "@", "ü", "[", '"', "-"])(
    "answer within a blink on a megabyte of %s",
    (unit) => {
      const text = unit.repeat(1_000_000 / unit.length);
      // Quadratic time would take minutes, and the test's own time limit ends it.
      expect(coercionNames.map((name) => outcome(coercions[name], text))).toHaveLength(
        coercionNames.length,
      );
    },
  );
});

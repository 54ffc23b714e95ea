import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { coercionNames } from "../../../src/mapping/coerce.ts";
import { compileMapping } from "../../../src/mapping/compile.ts";
import type { Mapped } from "../../../src/mapping/compile.ts";
import { parseJsonRow } from "../../../src/mapping/json-row.ts";
import type { FieldRule, MappedField } from "../../../src/mapping/schema.ts";
import { isPlainObject } from "../../../src/records/json-value.ts";
import { keyFieldOf, shapeOf, streams } from "../../../src/records/streams.ts";
import type { Row } from "../../../src/records/streams.ts";
import { validateRecord } from "../../../src/records/validate-record.ts";
import { trials } from "../../support/trials.ts";

function mapRow(properties: Readonly<Record<string, MappedField>>, row: Row): Mapped {
  const mapping = { account_id: "id", domain: "site", account_properties: properties };
  return compileMapping({ mapping, stream: "account" }).map({ id: "1", site: "a.com", ...row });
}

/** The result of one rule for a row: a value, undefined if left out, or the code of the reject as "!code". */
function made(field: MappedField, row: Row): unknown {
  const mapped = mapRow({ made: field }, row);
  if (mapped !== null && "reject" in mapped) return `!${mapped.reject.code}`;
  const properties = mapped?.record["account_properties"];
  if (!isPlainObject(properties)) throw new TypeError("a record has no properties");
  return properties["made"];
}

/** JSON of this many levels. */
function nested(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

/** A value with its negative zeros made positive: JSON has none, and they are the same number. */
function sameNumbers(value: unknown): unknown {
  if (typeof value === "number") return value + 0;
  if (Array.isArray(value)) return value.map(sameNumbers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, sameNumbers(member)]),
  );
}

describe("compileMapping", () => {
  it("writes the stream first, its fields in order, the properties in the order of the mapping", () => {
    const mapping = {
      account_properties: { zeta: "z", alpha: "a" },
      domain: { column: "site", as: "domain" as const },
      account_id: "id",
    };
    const { columns, map } = compileMapping({ mapping, stream: "account" });
    const row: Row = {
      __proto__: null,
      id: "007",
      site: " HTTPS://www.Example.com/ ",
      a: "1",
      z: " 2 ",
      unmapped: "x",
    };
    expect(JSON.stringify(map(row))).toBe(
      '{"record":{"type":"account","account_id":"007","domain":"example.com",' +
        '"account_properties":{"zeta":" 2 ","alpha":"1"}}}',
    );
    expect(columns).toEqual(["id", "site", "z", "a"]);
  });

  it.each(streams)("makes a record of the stream %s that validates", (stream) => {
    const { textFields, propertiesField } = shapeOf(stream);
    const mapping = {
      ...Object.fromEntries(textFields.map((field) => [field, field])),
      [propertiesField]: {},
    };
    const row = Object.fromEntries(textFields.map((field) => [field, "x"]));
    const mapped = compileMapping({ mapping, stream }).map({
      ...row,
      event_timestamp: "2024-03-10T00:00:00Z",
    });
    expect(mapped).toMatchObject({ record: { [keyFieldOf(stream)]: "x" } });
    expect(mapped !== null && "record" in mapped && validateRecord(stream)(mapped.record)).toBe(
      undefined,
    );
  });

  it("names each column once, those of templates too", () => {
    const mapping = {
      account_id: "id",
      domain: "site",
      account_properties: { a: "id", b: { template: "{first} {id} {{no}}" }, c: { value: 1 } },
    };
    expect(compileMapping({ mapping, stream: "account" }).columns).toEqual(["id", "site", "first"]);
  });

  it("rejects with the field, the code, the key and no other value", () => {
    expect(mapRow({ size: { column: "n", as: "integer" } }, { n: "12 secret" })).toEqual({
      reject: {
        code: "not_integer",
        field: "account_properties.size",
        reason: "is not a whole number, digits only",
      },
      key: "1",
    });
  });

  it.each<readonly [claim: string, rule: FieldRule, value: unknown, expected: unknown]>([
    ["guesses no type", { column: "c" }, "1", "1"],
    ["keeps blanks where no type is asked for", { column: "c" }, " a ", " a "],
    ["keeps a text of blanks", { column: "c" }, "  ", "  "],
    ["passes other values on", { column: "c" }, false, false],
    ["trims when asked", { column: "c", trim: true }, " a ", "a"],
    ["finds trimmed blanks empty", { column: "c", trim: true }, "  ", undefined],
    ["reads past blanks around a typed value", { column: "c", as: "integer" }, " 12\t", 12],
    ["keeps blanks of a string", { column: "c", as: "string" }, " a ", " a "],
    ["lowers letters", { column: "c", lowercase: true }, "ÄB", "äb"],
    ["lowers an e-mail address", { column: "c", as: "email", lowercase: true }, "A@B.De", "a@b.de"],
    ["leaves numbers alone when lowering", { column: "c", lowercase: true }, 7, 7],
    ["leaves an empty text out", { column: "c" }, "", undefined],
    ["leaves null out", { column: "c" }, null, undefined],
    ["leaves an empty typed value out", { column: "c", as: "integer" }, " ", undefined],
    ["sends null for an empty value", { column: "c", empty: "null" }, "", null],
    ["sends null as YAML writes it", { column: "c", empty: null }, "", null],
    ["keeps an empty text", { column: "c", empty: "keep" }, "", ""],
    ["keeps null", { column: "c", empty: "keep" }, null, null],
    ["keeps no value absent", { column: "c", empty: "keep" }, undefined, undefined],
    ["leaves out when told so", { column: "c", empty: "omit" }, "", undefined],
    ["rejects an empty required value", { column: "c", required: true }, "", "!required"],
    ["takes 0 and false as values", { column: "c", required: true }, 0, 0],
    ["fills a default in", { column: "c", default: "d" }, "", "d"],
    ["reads a default as the row's", { column: "c", as: "integer", default: "5" }, "", 5],
    ["needs no default", { column: "c", default: "d" }, "x", "x"],
    ["gives a constant", { value: { a: [1] } }, "x", { a: [1] }],
    ["converts a constant", { value: "https://A.com", as: "domain" }, "x", "a.com"],
    ["fills a template", { template: "<{c}>" }, "x", "<x>"],
    ["finds a template empty", { template: "<{c}>", required: true }, "", "!required"],
    ["converts a template", { template: "{c}.example.com", as: "domain" }, "A", "a.example.com"],
    ["leaves a null of JSON out", { column: "c", as: "json" }, "null", undefined],
    ["leaves an empty text of JSON out", { column: "c", as: "json" }, ' "" ', undefined],
    ["sends a null of JSON when told so", { column: "c", as: "json", empty: null }, "null", null],
    ["keeps a null of JSON", { column: "c", as: "json", empty: "keep" }, "null", null],
    ["keeps an empty text of JSON", { column: "c", as: "json", empty: "keep" }, '""', ""],
    [
      "rejects a required null of JSON",
      { column: "c", as: "json", required: true },
      "null",
      "!required",
    ],
    [
      "fills a default in for a null of JSON",
      { column: "c", as: "json", default: "[]" },
      "null",
      [],
    ],
    ["takes a null inside JSON as a value", { column: "c", as: "json" }, "[null]", [null]],
    ["rejects what a template cannot hold", { template: "{c}" }, {}, "!not_text"],
  ])("%s", (...[, rule, value, expected]) => {
    expect(made(rule, { c: value })).toStrictEqual(expected);
  });

  it.each(["constructor", "toString", "hasOwnProperty"])(
    "reads the column %s from the row alone",
    (column) => {
      expect(made(column, {})).toBeUndefined();
      expect(made({ template: `{${column}}` }, {})).toBeUndefined();
      expect(made(column, { [column]: "own" })).toBe("own");
    },
  );

  it("reads a column named __proto__ from the row alone", () => {
    expect(made("__proto__", {})).toBeUndefined();
    expect(made("__proto__", Object.fromEntries([["__proto__", "own"]]))).toBe("own");
  });

  it("writes properties named constructor and toString", () => {
    const mapped = mapRow({ constructor: "c", toString: "t" }, { c: "1", t: "2" });
    expect(JSON.stringify(mapped)).toContain('{"constructor":"1","toString":"2"}');
  });

  it("names a column with dots as the mapping does", () => {
    const mapping = {
      account_id: "data.id",
      domain: "data.site",
      account_properties: { name: { template: "{data.first} {data.id}" } },
    };
    const { columns } = compileMapping({ mapping, stream: "account" });
    expect(columns).toEqual(["data.id", "data.site", "data.first"]);
  });

  const long = '{"c":9007199254740993,"d":{"n":0.1234567890123456789,"s":"x"}}';
  const twice = '{"c":1,"c":2,"d":{"s":"x","in":[{"k":1,"k":2}]}}';
  it.each<readonly [claim: string, rule: MappedField, json: string, expected: unknown]>([
    ["reads a member of a member", "d.s", long, "x"],
    ["fills members of members in", { template: "{d.s}-{d.s}" }, long, "x-x"],
    ["leaves out a member that is not there", "d.s.t", long, undefined],
    [
      "gives a long number's digits as text",
      { column: "c", as: "string" },
      long,
      "9007199254740993",
    ],
    ["gives those of a fraction", { column: "d.n", as: "string" }, long, "0.1234567890123456789"],
    [
      "fills the digits in",
      { template: "{c}/{d.n}" },
      long,
      "9007199254740993/0.1234567890123456789",
    ],
    ["rejects a long number where no type is asked for", "c", long, "!inexact_number"],
    [
      "makes it no text by lowering letters",
      { column: "c", lowercase: true },
      long,
      "!inexact_number",
    ],
    ["rejects it as a whole number", { column: "c", as: "integer" }, long, "!inexact_number"],
    [
      "rejects a fraction as a whole number",
      { column: "d.n", as: "integer" },
      long,
      "!not_integer",
    ],
    ["rejects it as a number", { column: "d.n", as: "number" }, long, "!inexact_number"],
    ["rejects it as JSON", { column: "c", as: "json" }, long, "!inexact_number"],
    [
      "takes a member that is twice for no empty one",
      { column: "c", default: 1 },
      twice,
      "!duplicate_json_key",
    ],
    ["rejects it as text too", { column: "c", as: "string" }, twice, "!duplicate_json_key"],
    ["rejects it in a template", { template: "{c}" }, twice, "!duplicate_json_key"],
    ["rejects what lies below it", "d.in.0.k.x", twice, "!duplicate_json_key"],
    ["reads what is beside it", "d.s", twice, "x"],
  ])("of JSON %s", (...[, rule, json, expected]) => {
    expect(made(rule, parseJsonRow(json) ?? {})).toStrictEqual(expected);
  });

  it.each([
    [long, "inexact_number", "has more digits"],
    [twice, "duplicate_json_key", "is twice"],
  ])("leaves what is refused inside of an object to the validation of %s", (json, code, reason) => {
    const mapped = mapRow({ d: "d" }, parseJsonRow(json) ?? {});
    const record = mapped !== null && "record" in mapped ? mapped.record : {};
    const fault = validateRecord("account")(record);
    expect(fault).toMatchObject({ code, field: "account_properties.d" });
    expect(fault?.reason).toContain(reason);
  });

  const deep = `{"c":${nested(31)}}`;
  const deeper = `{"c":${JSON.stringify(nested(32))}}`;
  it.each<readonly [code: string, rule: FieldRule, json: string]>([
    ["inexact_number", { column: "c" }, '{"c":{"id":12345678901234567890}}'],
    ["duplicate_json_key", { column: "c" }, '{"c":{"a":1,"a":2}}'],
    ["lone_surrogate", { column: "c" }, '{"c":"abc\\ud83d"}'],
    ["too_deep", { column: "c", as: "json" }, deeper],
  ])(
    "leaves out, when told so, a value that only the validation refuses: %s",
    (code, rule, json) => {
      const row = parseJsonRow(json) ?? {};
      const mapped = mapRow({ made: { ...rule, on_invalid: "omit" } }, row);
      expect(mapped).toMatchObject({
        record: { account_properties: {} },
        omitted: [{ code, field: "account_properties.made" }],
      });
      const kept = mapRow({ made: rule }, row);
      const record = kept !== null && "record" in kept ? kept.record : {};
      expect(validateRecord("account")(record)).toMatchObject({ code });
    },
  );

  it("leaves in, when told to leave out, what is nested as deeply as a record may", () => {
    const mapped = mapRow({ c: { column: "c", on_invalid: "omit" } }, parseJsonRow(deep) ?? {});
    expect(mapped).not.toHaveProperty("omitted");
    expect(JSON.stringify(mapped)).toContain(nested(31));
  });

  it("maps every row without throwing, and what validates arrives as it is", () => {
    const hostile = fc.constantFrom<unknown>(
      undefined,
      Number.NaN,
      1n,
      new Date(0),
      Symbol("s"),
      () => 1,
      "\ud800",
      [undefined],
      " 12 ",
      "2024-03-10 00:00:00+00",
      '{"a":1,"a":2}',
      "https://www.example.com/",
    );
    const value = fc.oneof(fc.jsonValue(), fc.string({ unit: "binary" }), hostile);
    const rule = fc.record({
      as: fc.constantFrom(undefined, ...coercionNames),
      trim: fc.boolean(),
      lowercase: fc.boolean(),
      empty: fc.constantFrom(undefined, "omit" as const, "null" as const, "keep" as const),
      source: fc.constantFrom({ column: "a" }, { column: "__proto__" }, { template: "{a}/{b}" }),
    });
    const validate = validateRecord("account");
    fc.assert(
      fc.property(rule, value, value, ({ source, ...rest }, a, b) => {
        const mapped = mapRow({ made: { ...source, ...rest } }, { a, b });
        expect(mapped).not.toBeNull();
        const record = mapped !== null && "record" in mapped ? mapped.record : {};
        const sent = validate(record) === undefined ? record : {};
        const text = JSON.stringify(sent);
        expect(JSON.stringify(JSON.parse(text))).toBe(text);
        expect(sameNumbers(JSON.parse(text))).toEqual(sameNumbers(sent));
      }),
      { numRuns: trials(500) },
    );
  });
});

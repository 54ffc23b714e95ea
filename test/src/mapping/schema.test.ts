import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

import { recordMappingSchema } from "../../../src/mapping/schema.ts";

function problemsOf(yaml: string): readonly string[] {
  const result = recordMappingSchema.safeParse(parse(yaml));
  return (result.error?.issues ?? []).map(
    ({ path, message }) => `${path.map(String).join(".")}: ${message}`,
  );
}

describe("recordMappingSchema", () => {
  it("takes columns, rules and properties", () => {
    const mapping = parse(`
      account_id: id
      domain: { column: website, as: domain, required: true }
      account_properties:
        name: { template: "{first} {last}", trim: true }
        source: { value: crm }
        tags: { value: [a, b] }
        plan: { column: plan, default: free, lowercase: true }
        note: { column: note, empty: null }
    `) as unknown;
    expect(recordMappingSchema.parse(mapping)).toEqual(mapping);
  });

  it.each([
    ["domain: 5", "domain: must be a column name, or an object such as"],
    ['domain: ""', "domain: must be a column name"],
    ["domain: [a]", "domain: must be a column name, or an object such as"],
    ["domain: {}", "domain: needs one of column, value, template"],
    ["domain: { column: a, value: b }", "domain: takes one of column, value, not more"],
    ["domain: { column: a, as: int }", 'domain: as: Invalid option: expected one of "string"|'],
    ["domain: { column: a, trim: 1 }", "domain: trim: Invalid input: expected boolean"],
    ["domain: { colum: a }", 'domain: Unrecognized key: "colum"'],
    ['domain: { template: "{a" }', "domain.template: must name its columns in braces"],
    ["domain: { template: a }", "domain.template: must name its columns in braces"],
    ["domain: { value: null }", "domain.value: is empty"],
    ['domain: { column: a, default: "" }', "domain.default: is empty"],
    ["domain: { value: .inf }", "domain.value: must be a value that JSON can carry"],
    [
      "domain: { column: a, default: b, required: true, empty: keep }",
      "domain: takes one of default, required, empty",
    ],
    ["domain: { column: a, as: integer, trim: false }", "domain.trim: as: integer never sees"],
    ["domain: { column: a, as: domain, lowercase: true }", "domain.lowercase: as: domain takes no"],
    [
      "account_properties: { a: { column: a, required: true, on_invalid: omit } }",
      "account_properties.a.on_invalid: omit leaves out a field that is required",
    ],
    ["account_properties: a", "account_properties: Invalid input: expected record"],
    ["account_properties: { a: { as: date } }", "account_properties.a: needs one of column"],
    ["account_properties: { __proto__: a }", "account_properties: a property cannot be named"],
    ["__proto__: a", ': Unrecognized key: "__proto__"'],
    ["name: a", ': Unrecognized key: "name"'],
  ])("says of %s what is wrong", (yaml, message) => {
    expect(problemsOf(yaml).join("\n")).toContain(message);
  });

  it("takes required: false beside a default", () => {
    expect(problemsOf("domain: { column: a, required: false, default: b }")).toEqual([]);
  });

  it("can be written as JSON Schema, for editors", () => {
    const schema = z.toJSONSchema(recordMappingSchema, { io: "input" });
    expect(schema.properties?.["account_properties"]).toMatchObject({
      type: "object",
      additionalProperties: { anyOf: [{ type: "string" }, { type: "object" }] },
    });
  });
});

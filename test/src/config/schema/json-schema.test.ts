import { describe, expect, it } from "vitest";
import { z } from "zod";

import { configJsonSchema } from "../../../../src/config/schema/json-schema.ts";
import { membersOf } from "../../../../src/config/schema/members.ts";
import { connectors } from "../support.ts";

type Schema = z.core.JSONSchema.JSONSchema;

function at(schema: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((found, step) => {
    if (!Array.isArray(found)) return membersOf(found)[step];
    const items: readonly unknown[] = found;
    return items[Number(step)];
  }, schema);
}

/** Every schema of a member inside a schema, with its path. */
function members(schema: Schema, way = ""): readonly [string, Schema][] {
  const own = Object.entries(schema.properties ?? {}).filter(
    (entry): entry is [string, Schema] => typeof entry[1] === "object",
  );
  const groups = [schema.additionalProperties, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [
    ...own.flatMap(([name, member]): readonly [string, Schema][] => [
      [`${way}${name}`, member],
      ...members(member, `${way}${name}.`),
    ]),
    ...groups.flatMap((group) => (typeof group === "object" ? members(group, way) : [])),
  ];
}

function isOpen(way: unknown): boolean {
  const { type, additionalProperties } = membersOf(way);
  return type === "object" && additionalProperties !== false;
}

describe("configJsonSchema", () => {
  const schema = configJsonSchema(connectors);

  it("is a JSON schema of draft 2020-12 that refuses unknown members", () => {
    expect(schema.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(schema.required).toEqual(["version", "api", "connections", "syncs"]);
    expect(schema.additionalProperties).toBe(false);
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });

  it("offers each connector's members in a connection, but not the folder", () => {
    const ways = at(schema, "properties", "connections", "additionalProperties", "oneOf");
    expect(ways).toHaveLength(3);
    expect(ways).toMatchObject([
      { properties: { connector: { const: "file" } }, required: ["connector"] },
      { properties: { connector: { const: "table" } }, required: ["connector"] },
      { required: ["connector"] },
    ]);
    expect([0, 1, 2].map((way) => isOpen(at(ways, way)))).toEqual([false, false, true]);
    expect(Object.keys(membersOf(at(ways, "0", "properties")))).toEqual([
      "connector",
      "path",
      "delimiter",
      "quote",
    ]);
  });

  it("takes a name or each connector's members in from", () => {
    const ways = at(
      schema,
      "then",
      "properties",
      "syncs",
      "additionalProperties",
      "properties",
      "from",
      "anyOf",
    );
    expect(ways).toMatchObject([
      { type: "string" },
      { type: "object", properties: { connection: {}, path: {} }, required: ["connection"] },
      { type: "object", properties: { connection: {}, table: {} }, required: ["connection"] },
    ]);
  });

  it.each([
    ["./mine.ts", true],
    ["../mine", true],
    ["/opt/mine.js", true],
    ["sluice-connector-mine", true],
    ["@some/sluice-connector-mine", true],
    ["mine", false],
    ["sluice-connector-", false],
    ["@some/mine", false],
    ["file", false],
  ])("takes any members where %s is the connector: %s", (connector, isOutside) => {
    const outside = at(schema, "properties", "connections", "additionalProperties", "oneOf", 2);
    const pattern = String(at(outside, "properties", "connector", "pattern"));
    expect(new RegExp(pattern).test(connector)).toBe(isOutside);
  });

  it("refuses unknown members of syncs and pulls as long as every connector is known", () => {
    const connection = { properties: { connector: { enum: ["file", "table"] } } };
    expect(schema.if).toEqual({
      properties: { connections: { additionalProperties: connection } },
    });
    const from = ["properties", "syncs", "additionalProperties", "properties", "from", "anyOf"];
    expect([at(schema, ...from)].flat().filter(isOpen)).toHaveLength(1);
    expect([at(schema, "then", ...from)].flat().filter(isOpen)).toEqual([]);
  });

  it("leaves what a connector takes open when its schema does not list it", () => {
    const open = configJsonSchema(
      new Map([["any", { config: z.looseObject({}).or(z.object({ a: z.int() })) }]]),
    );
    const way = at(open, "properties", "connections", "additionalProperties", "oneOf", 0);
    expect(isOpen(way)).toBe(true);
  });

  it("offers the members of connectors beside a pull's own, and no others", () => {
    const pull = at(schema, "then", "properties", "pulls", "additionalProperties", "properties");
    const target = membersOf(at(pull, "write_back"));
    expect(Object.keys(membersOf(target["properties"]))).toEqual(
      expect.arrayContaining(["connection", "key", "set", "table", "insert"]),
    );
    expect(target["required"]).toEqual(["connection", "key", "set"]);
    expect(target["additionalProperties"]).toBe(false);
    const domains = at(pull, "job_postings", "properties", "domains_from", "properties");
    expect(Object.keys(membersOf(domains))).toEqual(
      expect.arrayContaining(["connection", "column", "path"]),
    );
  });

  it("shows defaults as they are written", () => {
    const sync = at(schema, "properties", "syncs", "additionalProperties", "properties");
    expect(at(sync, "reject_limit", "properties", "rate", "default")).toBe("5%");
    expect(at(schema, "properties", "api", "properties", "credits_retry_after", "default")).toBe(
      "24h",
    );
  });

  it("helps with every setting of our own", () => {
    const foreign =
      /\.(?:path|delimiter|quote|url|table|query|insert)$|^syncs\.record\b|^syncs\.connection$/;
    const silent = members(schema)
      .filter(([way, member]) => !foreign.test(way) && member.description === undefined)
      .map(([way]) => way);
    expect(silent).toEqual([]);
  });
});

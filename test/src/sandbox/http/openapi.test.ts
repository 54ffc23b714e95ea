import { describe, expect, it } from "vitest";
import { z } from "zod";

import { sandboxStreams } from "../../../../src/sandbox/schemas.ts";
import { operators, searchBodies } from "../../../../src/sandbox/search/query.ts";
import { started } from "../sandbox-client.ts";

const documentSchema = z.looseObject({
  openapi: z.literal("3.1.0"),
  paths: z.record(
    z.string(),
    z.record(z.string(), z.looseObject({ responses: z.looseObject({}) })),
  ),
  components: z.looseObject({ schemas: z.record(z.string(), z.looseObject({})) }),
});

describe("openapi.json", () => {
  it("describes every address that answers, and only those", async () => {
    const client = await started();
    const { body } = await client.get("/openapi.json");
    const { paths } = documentSchema.parse(body);
    const found: string[] = [];
    for (const path of Object.keys(paths)) {
      const address = `${client.sandbox.address}${path.replace("{file_key}", "some/key")}`;
      for (const method of ["get", "post", "put"]) {
        const { status } = await fetch(address, { method, body: method === "get" ? null : "{}" });
        if (![404, 405].includes(status)) found.push(`${method} ${path}`);
      }
    }
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(found.toSorted()).toEqual(described.toSorted());
    expect(found).toHaveLength(12);
  });

  it("says what is answered to a body of another kind, and to a stream that is none", async () => {
    const client = await started();
    const { body } = await client.get("/openapi.json");
    const { paths } = documentSchema.parse(body);
    const posts = Object.entries(paths).filter(([, { post }]) => post !== undefined);
    expect(posts).toHaveLength(8);
    for (const [path, { post }] of posts) {
      const { status } = await client.post(path, "a=b", { "content-type": "text/plain" });
      expect(status).toBe(415);
      expect(Object.keys(post?.responses ?? {})).toContain("415");
    }
    const { status } = await client.get("/_sandbox/records?stream=none");
    expect(status).toBe(422);
    expect(Object.keys(paths["/_sandbox/records"]?.["get"]?.responses ?? {})).toContain("422");
  });

  const places = [
    ["persons", "name"],
    ["persons", "activities"],
    ["persons", "has_left_company"],
    ["job_postings", "event_on"],
  ] as const;
  const days = ["2026-01-31", "2026-02-01T00:00:00Z"];
  const values = [
    7,
    [7],
    [7, 8],
    true,
    [true, false],
    "a",
    ["a", "b"],
    ...days,
    days,
    [],
    ["a", 7],
  ];

  it.each(places)("allows the filters that are taken, and no other: %s by %s", (of, property) => {
    const body = searchBodies(100)[of];
    const described = z.fromJSONSchema(z.toJSONSchema(body, { io: "input" }));
    for (const operator of operators) {
      for (const value of values) {
        const asked = { domain: "a.example", filters: [{ property, operator, value }] };
        const isTaken = body.safeParse(asked).success;
        const isAllowed = described.safeParse(asked).success;
        expect({ operator, value, isAllowed }).toEqual({ operator, value, isAllowed: isTaken });
      }
    }
  });

  it("says that the records of a body are of its stream", async () => {
    const client = await started();
    const { body } = await client.get("/openapi.json");
    const { post } = documentSchema.parse(body).paths["/ingestion/upload-json"] ?? {};
    const bodies = sandboxStreams.map((name) => ({
      properties: {
        stream: { const: name },
        data: { items: { $ref: `#/components/schemas/${name}` } },
      },
    }));
    expect(post).toMatchObject({
      requestBody: { content: { "application/json": { schema: { anyOf: bodies } } } },
    });
  });

  it("resolves every reference", async () => {
    const client = await started();
    const { body } = await client.get("/openapi.json");
    const { components } = documentSchema.parse(body);
    const names = [...JSON.stringify(body).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name,
    );
    expect(names.length).toBeGreaterThan(10);
    expect(
      names.filter((name) => name === undefined || !Object.hasOwn(components.schemas, name)),
    ).toEqual([]);
  });

  it("takes the record schemas from those that check", async () => {
    const client = await started();
    const { body } = await client.get("/openapi.json");
    expect(documentSchema.parse(body).components.schemas["account_event"]).toMatchObject({
      required: ["event_id", "account_id", "event", "event_timestamp", "event_properties"],
      additionalProperties: false,
      properties: { event_type: { const: "account_event", default: "account_event" } },
    });
  });
});

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { started } from "./sandbox-client.ts";

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
        if (status !== 404) found.push(`${method} ${path}`);
      }
    }
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(found.toSorted()).toEqual(described.toSorted());
    expect(found).toHaveLength(12);
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

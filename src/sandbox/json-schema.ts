import { z } from "zod";

import { sandboxRecordSchemas, uploadJsonBody } from "./schemas.ts";

/** A part of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

/** The input of a schema, as JSON Schema. */
export function schemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
}

/** The body of an upload-json as it is checked: the stream decides which schema its records follow. */
export function uploadJsonSchema(): Json {
  const { properties, $schema: _, ...envelope } = z.toJSONSchema(uploadJsonBody, { io: "input" });
  const bodies = Object.keys(sandboxRecordSchemas).map((name) => {
    const data = { type: "array", items: { $ref: `#/components/schemas/${name}` } };
    return { ...envelope, properties: { ...properties, stream: { const: name }, data } };
  });
  return { anyOf: bodies };
}

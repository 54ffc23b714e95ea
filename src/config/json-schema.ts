import { z } from "zod";

import { inputJsonSchema } from "./member-names.ts";
import { domainsFromSchema, writeBackSchema } from "./pull.ts";
import { configSchema, connectionSchema, fromSchema } from "./schema.ts";
import type { ConnectorSchema } from "./sources.ts";

type JsonSchema = z.core.JSONSchema.JSONSchema;

/**
 * The JSON schema of `sluice.yaml`, for editors. It offers each connector's members in connections and where syncs and
 * pulls use them, and asks for none of them, because a sync or pull may bring what its connection lacks.
 */
export function configJsonSchema(connectors: ReadonlyMap<string, ConnectorSchema>): JsonSchema {
  const known = [...connectors].map(([name, { config }]) => ({ name, ...membersOf(config) }));
  return z.toJSONSchema(configSchema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema === connectionSchema) offerConnections(jsonSchema, known);
      if (zodSchema === fromSchema) offerSources(jsonSchema, known);
      if (zodSchema === domainsFromSchema || zodSchema === writeBackSchema) {
        offerMembers(jsonSchema, known);
      }
    },
  });
}

type KnownConnector = {
  readonly name: string;
  readonly properties: Record<string, JsonSchema | boolean>;
  /** Whether it may take members that its schema does not list. */
  readonly isOpen: boolean;
};

/** The members of a connector but `folder`, which the engine gives. */
function membersOf(config: z.ZodType): Omit<KnownConnector, "name"> {
  const { properties } = inputJsonSchema(config);
  const { folder: _, ...written } = properties ?? {};
  return { properties: written, isOpen: properties === undefined };
}

function offerConnections(schema: JsonSchema, connectors: readonly KnownConnector[]): void {
  const { connector } = schema.properties ?? {};
  const described = typeof connector === "object" ? connector : {};
  for (const member of ["type", "properties", "required", "additionalProperties"])
    delete schema[member];
  schema.oneOf = connectors.map(({ name, properties, isOpen }): JsonSchema => ({
    type: "object",
    properties: { connector: { ...described, const: name }, ...properties },
    required: ["connector"],
    additionalProperties: isOpen,
  }));
}

function offerSources(schema: JsonSchema, connectors: readonly KnownConnector[]): void {
  const ways = (schema.anyOf ?? []).filter((way): way is JsonSchema => typeof way === "object");
  schema.anyOf = ways.flatMap((way): readonly JsonSchema[] =>
    way.type === "object"
      ? connectors.map(({ properties, isOpen }): JsonSchema => ({
          ...way,
          properties: { ...way.properties, ...properties },
          additionalProperties: isOpen,
        }))
      : [way],
  );
}

/** Members of every connector beside the pull's own: which one it is, only the connection that is named would tell. */
function offerMembers(schema: JsonSchema, connectors: readonly KnownConnector[]): void {
  const offered = Object.fromEntries(
    connectors.flatMap(({ properties }) => Object.entries(properties)),
  );
  // `key` is the pull's own in a write-back, whatever a connector calls so.
  schema.properties = { ...offered, ...schema.properties };
  schema.additionalProperties = connectors.some(({ isOpen }) => isOpen);
}

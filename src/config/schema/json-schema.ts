import { z } from "zod";

import { externalName } from "../external.ts";
import { inputJsonSchema } from "./member-names.ts";
import { domainsFromSchema, writeBackSchema } from "./pull.ts";
import { configSchema, connectionSchema, fromSchema } from "./schema.ts";
import { isGiven, type ConnectorSchema } from "./sources.ts";

type JsonSchema = z.core.JSONSchema.JSONSchema;

/**
 * The JSON schema of `sluice.yaml`, for editors. It offers each connector's members in connections and where syncs and
 * pulls use them, but requires none, because a sync or pull may supply members that its connection lacks. A connection
 * of an external connector takes any members. Where there is one, syncs and pulls do too, because a schema cannot look
 * up which connection they use.
 */
export function configJsonSchema(connectors: ReadonlyMap<string, ConnectorSchema>): JsonSchema {
  const known = [...connectors].map(([name, { config }]) => ({
    called: { const: name },
    ...membersOf(config),
  }));
  const { syncs, pulls } = schemaOf(known).properties ?? {};
  const named: JsonSchema = { enum: [...connectors.keys()] };
  const connection: JsonSchema = { properties: { connector: named } };
  return {
    ...schemaOf([
      ...known,
      { called: { pattern: externalName.source }, properties: {}, isOpen: true },
    ]),
    if: { properties: { connections: { additionalProperties: connection } } },
    // oxlint-disable-next-line unicorn/no-thenable -- a member of JSON Schema, in an object that nobody awaits
    then: { properties: { ...(syncs && { syncs }), ...(pulls && { pulls }) } },
  };
}

function schemaOf(known: readonly KnownConnector[]): JsonSchema {
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
  /** The value of `connector`. */
  readonly called: JsonSchema;
  readonly properties: Record<string, JsonSchema | boolean>;
  /** Whether it may take members that its schema does not list. */
  readonly isOpen: boolean;
};

/** The members of a connector, except those that the engine gives. */
function membersOf(config: z.ZodType): Omit<KnownConnector, "called"> {
  const { properties } = inputJsonSchema(config);
  const written = Object.entries(properties ?? {}).filter(([name]) => !isGiven(name));
  return { properties: Object.fromEntries(written), isOpen: properties === undefined };
}

function offerConnections(schema: JsonSchema, connectors: readonly KnownConnector[]): void {
  const { connector } = schema.properties ?? {};
  const described = typeof connector === "object" ? connector : {};
  for (const member of ["type", "properties", "required", "additionalProperties"])
    delete schema[member];
  schema.oneOf = connectors.map(({ called, properties, isOpen }): JsonSchema => ({
    type: "object",
    properties: { connector: { ...described, ...called }, ...properties },
    required: ["connector"],
    ...onlyListed(isOpen),
  }));
}

function offerSources(schema: JsonSchema, connectors: readonly KnownConnector[]): void {
  const ways = (schema.anyOf ?? []).filter((way): way is JsonSchema => typeof way === "object");
  schema.anyOf = ways.flatMap((way): readonly JsonSchema[] =>
    way.type === "object"
      ? connectors.map(({ properties, isOpen }): JsonSchema => ({
          ...open(way),
          properties: { ...way.properties, ...properties },
          ...onlyListed(isOpen),
        }))
      : [way],
  );
}

/** A JSON schema is open by default. */
function onlyListed(isOpen: boolean): JsonSchema {
  return isOpen ? {} : { additionalProperties: false };
}

function open(schema: JsonSchema): JsonSchema {
  const { additionalProperties: _, ...rest } = schema;
  return rest;
}

/** Offers every connector's members besides the pull's own: only the named connection would say which one it is. */
function offerMembers(schema: JsonSchema, connectors: readonly KnownConnector[]): void {
  const offered = Object.fromEntries(
    connectors.flatMap(({ properties }) => Object.entries(properties)),
  );
  // In a write-back `key` is the pull's own, even if a connector has a member of that name.
  schema.properties = { ...offered, ...schema.properties };
  if (connectors.some(({ isOpen }) => isOpen)) delete schema.additionalProperties;
  else schema.additionalProperties = false;
}

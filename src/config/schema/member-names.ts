import { z } from "zod";

import type { Path } from "../document/document.ts";

/** The JSON schema of a schema's input. */
export function inputJsonSchema(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

/** The names of the members that a JSON schema knows at a path, in any of its alternatives. */
export function memberNames(root: z.core.JSONSchema.BaseSchema, path: Path): readonly string[] {
  const groups = path.reduce<readonly Described[]>(
    (found, step) => found.flatMap((group) => childrenOf(group, step, root)),
    alternativesOf(root, root),
  );
  return groups.flatMap((group) => Object.keys(group.properties ?? {}));
}

type Described = z.core.JSONSchema.BaseSchema;

function childrenOf(group: Described, step: PropertyKey, root: Described): readonly Described[] {
  const { properties = {}, additionalProperties, items } = group;
  const member = Object.hasOwn(properties, step) ? properties[String(step)] : undefined;
  const child = typeof step === "number" ? items : (member ?? additionalProperties);
  return typeof child === "object" && !Array.isArray(child) ? alternativesOf(child, root) : [];
}

/** A schema, together with its alternatives and the definition that it refers to. */
function alternativesOf(schema: Described | boolean, root: Described): readonly Described[] {
  if (typeof schema === "boolean") return [];
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const named = schema.$ref?.startsWith("#/$defs/")
    ? root.$defs?.[schema.$ref.slice("#/$defs/".length)]
    : undefined;
  const further = named === undefined ? choices : [...choices, named];
  return [schema, ...further.flatMap((choice) => alternativesOf(choice, root))];
}

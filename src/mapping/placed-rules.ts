import { shapeOf } from "../records/streams.ts";
import type { Stream } from "../records/streams.ts";
import type { FieldRule, MappedField, RecordMapping } from "./schema.ts";

/** A rule and the field it makes. */
export type PlacedRule = {
  /** The field's name; for a property, after the name of the properties field. */
  readonly path: readonly string[];
  readonly rule: FieldRule;
};

/**
 * The rules of a mapping that make fields of a stream: its text fields in the stream's order, its properties in the
 * mapping's.
 */
export function placedRules(
  mapping: RecordMapping,
  stream: Stream,
): { readonly texts: readonly PlacedRule[]; readonly properties: readonly PlacedRule[] } {
  const { textFields, propertiesField } = shapeOf(stream);
  return {
    texts: textFields.flatMap((name) => {
      const field = mapping[name];
      return field === undefined ? [] : [{ path: [name], rule: ruleOf(field) }];
    }),
    properties: Object.entries(mapping[propertiesField] ?? {}).map(([name, field]) => ({
      path: [propertiesField, name],
      rule: ruleOf(field),
    })),
  };
}

function ruleOf(field: MappedField): FieldRule {
  return typeof field === "string" ? { column: field } : field;
}

import { shapeOf } from "../records/streams.ts";
import type { Stream } from "../records/streams.ts";
import { placedRules } from "./placed-rules.ts";
import { constantRule, fieldReader } from "./read-field.ts";
import { CoercionRefusal } from "./refusal.ts";
import type { RecordMapping } from "./schema.ts";

/** A fault in a `record:` object, with the path to its member. */
export type MappingProblem = {
  readonly path: readonly (string | number)[];
  readonly message: string;
};

/** Finds what the schema cannot know: fields of other streams, missing fields, and constants of the wrong type. */
export function checkMapping(mapping: RecordMapping, stream: Stream): readonly MappingProblem[] {
  const { textFields, propertiesField } = shapeOf(stream);
  const fields = [...textFields, propertiesField];
  const list = fields.join(", ");
  const isField = (name: string): boolean => fields.some((field) => field === name);
  const unknown = Object.keys(mapping)
    .filter((name) => !isField(name))
    .map((name) => ({
      path: [name],
      message: `${name} is not a field of the stream ${stream}, which has ${list}`,
    }));
  const missing = fields
    .filter((name) => mapping[name] === undefined)
    .map((name) => ({
      path: [],
      message:
        name === propertiesField
          ? `${name} is missing; "${name}: {}" sends no properties`
          : `${name} is missing; the stream ${stream} has ${list}`,
    }));
  return [...unknown, ...missing, ...badConstants(mapping, stream), ...badOmits(mapping, stream)];
}

/** Every record has its text fields, so an invalid value of one cannot be left out. */
function badOmits(mapping: RecordMapping, stream: Stream): readonly MappingProblem[] {
  return placedRules(mapping, stream)
    .texts.filter(({ rule }) => rule.on_invalid === "omit")
    .map(({ path }) => ({
      path: [...path, "on_invalid"],
      message: `every record has ${path.join(".")}, so it cannot be left out; only properties can`,
    }));
}

function badConstants(mapping: RecordMapping, stream: Stream): readonly MappingProblem[] {
  const { texts, properties } = placedRules(mapping, stream);
  return [...texts, ...properties].flatMap(({ path, rule }) =>
    (["value", "default"] as const).flatMap((member) => {
      const constant = rule[member];
      if (constant === undefined) return [];
      const result = fieldReader(constantRule(rule, constant))({});
      return result instanceof CoercionRefusal
        ? [{ path: [...path, member], message: result.reason }]
        : [];
    }),
  );
}

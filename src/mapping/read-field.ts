import type { Row } from "../records/streams.ts";
import { coercions } from "./coerce.ts";
import type { Coercion } from "./coerce.ts";
import { columnReader } from "./read-column.ts";
import { LongNumber, CoercionRefusal } from "./refusal.ts";
import type { FieldRule } from "./schema.ts";
import { fillTemplate, parseTemplate } from "./template.ts";

/** Returns a field's value for a row: undefined leaves the field out, a `CoercionRefusal` rejects the row. */
export type FieldReader = (row: Row) => unknown;

const required = new CoercionRefusal("required", "is required, and empty");

/** The columns a rule reads. */
export function columnsOf(rule: FieldRule): readonly string[] {
  if (rule.column !== undefined) return [rule.column];
  return (parseTemplate(rule.template ?? "") ?? []).flatMap((part) =>
    "column" in part ? [part.column] : [],
  );
}

/** Prepares the reading of one field, so that rows do not repeat decisions that the rule has made. */
export function fieldReader(rule: FieldRule): FieldReader {
  const source = sourceOf(rule);
  const convert = converterOf(rule);
  const isTrimmed = rule.trim === true || (rule.as !== undefined && rule.as !== "string");
  const isKept = rule.empty === "keep";
  const whenEmpty = emptyValueOf(rule);
  return (row) => {
    let value = source(row);
    if (isTrimmed && typeof value === "string") value = value.trim();
    if (isEmpty(value)) return isKept ? value : whenEmpty;
    if (typeof value === "object" && value instanceof CoercionRefusal) {
      // A value that the source cannot give is refused with its own reason; a long number is converted from its text.
      if (!(value instanceof LongNumber) || rule.as === undefined) return value;
      value = value.text;
    }
    if (convert === undefined) return value;
    const made = convert(value);
    // JSON text that is a null, or an empty text.
    return isEmpty(made) && !isKept ? whenEmpty : made;
  };
}

function isEmpty(value: unknown): boolean {
  return value === "" || value === null || value === undefined;
}

function sourceOf(rule: FieldRule): FieldReader {
  const { column, template, value } = rule;
  if (column !== undefined) return columnReader(column);
  if (template === undefined) return () => value;
  const readers = new Map(columnsOf(rule).map((name) => [name, columnReader(name)]));
  const parts = parseTemplate(template) ?? [];
  return (row) => fillTemplate(parts, (name) => readers.get(name)?.(row));
}

function converterOf({ as, lowercase }: FieldRule): Coercion | undefined {
  const coerce = as === undefined ? undefined : coercions[as];
  if (lowercase !== true) return coerce;
  return (value) => {
    const coerced = coerce === undefined ? value : coerce(value);
    return typeof coerced === "string" ? coerced.toLowerCase() : coerced;
  };
}

/** The rule that reads a constant as if every row held it. */
export function constantRule(rule: FieldRule, value: unknown): FieldRule {
  const { as, trim, lowercase } = rule;
  return { as, trim, lowercase, value };
}

function emptyValueOf(rule: FieldRule): unknown {
  if (rule.required === true) return required;
  if (rule.empty === "null" || rule.empty === null) return null;
  if (rule.default === undefined) return undefined;
  return fieldReader(constantRule(rule, rule.default))({});
}

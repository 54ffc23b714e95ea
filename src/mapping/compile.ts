import type { RecordFault } from "../records/reject-codes.ts";
import { shapeOf } from "../records/streams.ts";
import type { Row, Stream, StreamRecord } from "../records/streams.ts";
import { propertyFaultOf } from "../records/validate-record.ts";
import { planRecord, type NoPlan, type RecordPlan } from "./bytes/plan.ts";
import { placedRules } from "./placed-rules.ts";
import type { PlacedRule } from "./placed-rules.ts";
import { columnsOf, fieldReader } from "./read-field.ts";
import type { FieldReader } from "./read-field.ts";
import { CoercionRefusal } from "./refusal.ts";
import type { RecordMapping } from "./schema.ts";

/** The result of mapping a row: a record to be validated, a reject, or null if a mapping module left the row out. */
export type Mapped =
  | {
      readonly record: StreamRecord;
      /** Invalid values that cost only their field (`on_invalid: omit`). */
      readonly omitted?: readonly RecordFault[] | undefined;
    }
  | {
      readonly reject: RecordFault;
      /** The row's value for the record's key, not validated; undefined if it has none, and for a module. */
      readonly key?: unknown;
    }
  | null;

/** A mapping ready for rows. */
export type CompiledMapping = {
  /** Every column that the mapping reads, each once; empty for a module, which does not say. */
  readonly columns: readonly string[];
  /** Never throws. */
  readonly map: (row: Row) => Mapped;
  /** How plain rows become the same records without being objects, or why none does. */
  readonly plan: RecordPlan | NoPlan;
};

type Field = {
  readonly name: string;
  /** As a reject names it: "account_properties.employees". */
  readonly path: string;
  readonly read: FieldReader;
  /** Whether an invalid value costs only the field. */
  readonly isOmitted: boolean;
};

/**
 * Compiles a mapping in which `checkMapping` found no fault. A record's fields are in the order of the stream, its
 * properties in the order of the mapping; a field left out is absent.
 */
export function compileMapping(from: {
  readonly mapping: RecordMapping;
  readonly stream: Stream;
}): CompiledMapping {
  const { discriminator, keyField, propertiesField } = shapeOf(from.stream);
  const { texts, properties } = placedRules(from.mapping, from.stream);
  const textFields = texts.map(compileField);
  const propertyFields = properties.map(compileField);
  return {
    columns: [...new Set([...texts, ...properties].flatMap(({ rule }) => columnsOf(rule)))],
    plan: planRecord(from.mapping, from.stream),
    map(row) {
      const record: Record<string, unknown> = { [discriminator]: from.stream };
      const nested: Record<string, unknown> = {};
      const omitted: RecordFault[] = [];
      const reading = { row, omitted };
      const reject = fill(record, textFields, reading) ?? fill(nested, propertyFields, reading);
      // The key is the first field of every stream, so a row that is refused after it has one.
      if (reject !== undefined) return { reject, key: record[keyField] };
      record[propertiesField] = nested;
      return omitted.length === 0 ? { record } : { record, omitted };
    },
  };
}

function compileField({ path, rule }: PlacedRule): Field {
  const isOmitted = rule.on_invalid === "omit";
  return { name: path.at(-1) ?? "", path: path.join("."), read: fieldReader(rule), isOmitted };
}

function fill(
  target: Record<string, unknown>,
  fields: readonly Field[],
  { row, omitted }: { readonly row: Row; readonly omitted: RecordFault[] },
): RecordFault | undefined {
  for (const { name, path, read, isOmitted } of fields) {
    const value = read(row);
    const refusal = value instanceof CoercionRefusal ? value : undefined;
    // Also a value that only the validation would refuse, which rejects the whole record.
    const found = refusal ?? (isOmitted ? propertyFaultOf(name, value) : undefined);
    if (found !== undefined) {
      const fault = { code: found.code, field: path, reason: found.reason };
      if (!isOmitted) return fault;
      omitted.push(fault);
    } else if (value !== undefined) target[name] = value;
  }
  return undefined;
}

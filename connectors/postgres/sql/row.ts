import type { CoercionRefusal } from "../../../src/mapping/refusal.ts";
import type { Text } from "../rows/raw-rows.ts";
import type { SourceColumn } from "../source.ts";
import { conversionOf } from "./values.ts";

/** A row as the mapping reads it: text, null, or a refusal where JSON cannot carry it. It inherits no members. */
export type PostgresRow = Readonly<Record<string, string | CoercionRefusal | null>>;

/** Prepares to make rows of these columns, so that a row repeats no decision that depends on their types alone. */
export function rowMaker(
  columns: readonly SourceColumn[],
): (values: readonly Text[]) => PostgresRow {
  const names = columns.map(({ name }) => name);
  const conversions = columns.map(conversionOf);
  class Row {
    [column: string]: string | CoercionRefusal | null;

    // The keys are set in one order, so all rows of a read share one hidden class.
    constructor(values: readonly Text[]) {
      for (let at = 0; at < names.length; at += 1) {
        const text = values[at] ?? null;
        const convert = conversions[at];
        this[names[at] ?? ""] = convert === undefined || text === null ? text : convert(text);
      }
    }
  }
  // A column named `constructor` or `__proto__` is only a column.
  Object.setPrototypeOf(Row.prototype, null);
  Reflect.deleteProperty(Row.prototype, "constructor");
  return (values) => new Row(values);
}

import type { SyncConfig } from "../config/config.ts";
import { keyFieldOf } from "../records/streams.ts";
import { placedRules } from "./placed-rules.ts";
import { columnsOf } from "./read-field.ts";

/** The columns of a record's key. */
export type KeyColumns = {
  readonly columns: readonly string[];
  /**
   * Whether different values of the columns always make different keys. Unknown for a rule that changes a value, or
   * joins several: "1" and "23" make the same text as "12" and "3".
   */
  readonly isInjective: boolean;
};

/** The columns that a record's key is made of; undefined if nobody can know, as of a mapping module. */
export function keyColumnsOf({
  record,
  stream,
}: Pick<SyncConfig, "record" | "stream">): KeyColumns | undefined {
  if (record === undefined) return undefined;
  const keyField = keyFieldOf(stream);
  const { rule } = placedRules(record, stream).texts.find(({ path }) => path[0] === keyField) ?? {};
  if (rule === undefined) return undefined;
  const columns = [...new Set(columnsOf(rule))];
  const isKept = rule.as === undefined || rule.as === "string";
  const isChanged = rule.lowercase === true || rule.trim === true || rule.default !== undefined;
  return { columns, isInjective: isKept && !isChanged && columns.length === 1 };
}

import type { SyncConfig } from "../config/config.ts";
import { keyFieldOf } from "../records/streams.ts";
import { placedRules } from "./placed-rules.ts";
import { columnsOf } from "./read-field.ts";

/**
 * The columns that a record's key is made from, where different values of them always make different keys; undefined
 * where nobody can tell: for a module, and for a rule that makes one text from several.
 */
export function keyColumnsOf({
  record,
  stream,
}: Pick<SyncConfig, "record" | "stream">): readonly string[] | undefined {
  if (record === undefined) return undefined;
  const keyField = keyFieldOf(stream);
  const { rule } = placedRules(record, stream).texts.find(({ path }) => path[0] === keyField) ?? {};
  if (rule === undefined || rule.lowercase === true || rule.trim === true) return undefined;
  if (rule.default !== undefined) return undefined;
  if (rule.as !== undefined && rule.as !== "string" && rule.as !== "integer") return undefined;
  return columnsOf(rule);
}

import type { SyncConfig } from "../config/config.ts";
import type { Path } from "../config/document/document.ts";
import { closest } from "../config/messages/did-you-mean.ts";
import type { Mistake } from "../config/messages/mistakes.ts";
import { placedRules } from "../mapping/placed-rules.ts";
import { columnsOf } from "../mapping/read-field.ts";
import type { Row } from "../records/streams.ts";

/** A row as a test file has it. */
export type WrittenRow = {
  readonly path: Path;
  readonly members: Row;
  /** The text of a member as it is written, without quotes; undefined of a list or a group. */
  readonly textOf: (column: string) => string | undefined;
};

/** The columns that a sync reads; none of a mapping module, which does not say. */
function columnsRead({ record, stream }: SyncConfig): readonly string[] {
  if (record === undefined) return [];
  const { texts, properties } = placedRules(record, stream);
  return [...texts, ...properties].flatMap(({ rule }) => columnsOf(rule));
}

/**
 * A written row as the connector of its sync would give it: cells of CSV are text, `007` as well as `true`, and empty
 * where nothing is written; numbers of Postgres are digits; everything else is what it is in JSON.
 */
export function rowOf(sync: SyncConfig, { members, textOf }: WrittenRow): Row {
  const { connector } = sync;
  const cells = Object.entries(members).map(([column, value]): [string, unknown] => {
    const isText = connector === "csv" || (connector === "postgres" && typeof value === "number");
    return [column, isText ? (textOf(column) ?? value) : value];
  });
  const empty = connector === "csv" ? columnsRead(sync).map((column) => [column, ""] as const) : [];
  return Object.fromEntries([...empty, ...cells]);
}

/** Cells that are no text, and columns that nothing reads but are called nearly like one that is missing. */
export function rowMistakes(sync: SyncConfig, row: WrittenRow): readonly Mistake[] {
  const { members, path, textOf } = row;
  const read = columnsRead(sync);
  const isThere = (column: string): boolean =>
    Object.hasOwn(members, column.split(".", 1)[0] ?? "") || Object.hasOwn(members, column);
  const missing = read.filter((column) => !isThere(column));
  // Of a way into JSON the first step is a member of the row.
  const firsts = new Set(read.flatMap((column) => [column, column.split(".", 1)[0] ?? ""]));
  return Object.keys(members).flatMap((column): readonly Mistake[] => {
    const at = [...path, column];
    if (sync.connector === "csv" && textOf(column) === undefined)
      return [{ path: at, on: "value", message: "must be text: a cell of CSV holds nothing else" }];
    const meant = firsts.has(column) ? undefined : closest(column, missing);
    if (meant === undefined) return [];
    const message = `sync ${sync.name} reads no column "${column}" (did you mean "${meant}"?)`;
    return [{ path: at, on: "name", message }];
  });
}

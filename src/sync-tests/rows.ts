import type { SyncConfig } from "../config/config.ts";
import type { Path } from "../config/document/document.ts";
import { closest } from "../config/messages/did-you-mean.ts";
import type { Mistake } from "../config/messages/mistakes.ts";
import { isJsonNumber } from "../mapping/exact-number.ts";
import { isCarried, parseJsonRow } from "../mapping/json-row.ts";
import { placedRules } from "../mapping/placed-rules.ts";
import { columnsOf } from "../mapping/read-field.ts";
import { CoercionRefusal, LongNumber } from "../mapping/refusal.ts";
import { isPlainObject } from "../records/json-value.ts";
import type { Row } from "../records/streams.ts";

/** A row as written in a test file. */
export type WrittenRow = {
  readonly path: Path;
  readonly members: Row;
  /** The text at a path inside the row, as written, without quotes; undefined for a list or a group. */
  readonly textOf: (way: Path) => string | undefined;
};

/** The columns that a sync reads; empty for a mapping module, whose columns are not known. */
function columnsRead({ record, stream }: SyncConfig): readonly string[] {
  if (record === undefined) return [];
  const { texts, properties } = placedRules(record, stream);
  return [...texts, ...properties].flatMap(({ rule }) => columnsOf(rule));
}

/** A value as JSON sources give it: a number with too many digits for some readers becomes a refusal. */
function exactOf(value: unknown, way: Path, textOf: WrittenRow["textOf"]): unknown {
  if (Array.isArray(value)) return value.map((item, at) => exactOf(item, [...way, at], textOf));
  if (isPlainObject(value)) {
    const members = Object.entries(value);
    return Object.fromEntries(
      members.map(([name, member]) => [name, exactOf(member, [...way, name], textOf)]),
    );
  }
  const text = typeof value === "number" ? textOf(way) : undefined;
  if (text === undefined || !isJsonNumber(text) || isCarried(text)) return value;
  return parseJsonRow(`{"of":${text}}`)?.["of"];
}

/** The text of a value of JSON; numbers of any length keep their digits. */
function jsonText(value: unknown): string {
  if (value instanceof LongNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`;
  if (!isPlainObject(value)) return JSON.stringify(value);
  const members = Object.entries(value);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`).join(",")}}`;
}

/** A value of JSON as its column of Postgres would give it: as text, unless it is null. */
export function asPostgresGives(value: unknown): unknown {
  const isGiven = value === null || typeof value === "string";
  const isRefused = value instanceof CoercionRefusal && !(value instanceof LongNumber);
  return isGiven || isRefused ? value : jsonText(value);
}

/**
 * A written row as the connector of its sync would give it: cells of CSV are text, `007` as well as `true`, and empty
 * if nothing is written; what Postgres gives is text, too; everything else is as in JSON.
 */
export function rowOf(sync: SyncConfig, { members, textOf }: WrittenRow): Row {
  const { connector } = sync;
  const cells = Object.entries(members).map(([column, value]): [string, unknown] => {
    const isText = connector === "csv" || (connector === "postgres" && typeof value === "number");
    const text = isText ? textOf([column]) : undefined;
    const given = text ?? exactOf(value, [column], textOf);
    return [column, connector === "postgres" ? asPostgresGives(given) : given];
  });
  const empty = connector === "csv" ? columnsRead(sync).map((column) => [column, ""] as const) : [];
  return Object.fromEntries([...empty, ...cells]);
}

/** Cells that are not text, and unread columns whose names are close to a missing one. */
export function rowMistakes(sync: SyncConfig, row: WrittenRow): readonly Mistake[] {
  const { members, path, textOf } = row;
  const read = columnsRead(sync);
  const isThere = (column: string): boolean =>
    Object.hasOwn(members, column.split(".", 1)[0] ?? "") || Object.hasOwn(members, column);
  const missing = read.filter((column) => !isThere(column));
  // The first step of a path into JSON is a member of the row.
  const firsts = new Set(read.flatMap((column) => [column, column.split(".", 1)[0] ?? ""]));
  return Object.keys(members).flatMap((column): readonly Mistake[] => {
    const at = [...path, column];
    if (sync.connector === "csv" && textOf([column]) === undefined)
      return [{ path: at, on: "value", message: "must be text: a cell of CSV holds nothing else" }];
    const meant = firsts.has(column) ? undefined : closest(column, missing);
    if (meant === undefined) return [];
    const message = `sync ${sync.name} reads no column "${column}" (did you mean "${meant}"?)`;
    return [{ path: at, on: "name", message }];
  });
}

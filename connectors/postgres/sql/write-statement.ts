import { quoteName, quoteNames } from "../../../src/postgres/names.ts";
import type { JsonValue } from "../../../src/records/json-value.ts";
import type { Patch } from "../../contract/connector.ts";
import { quoteTable } from "./identifier.ts";
import type { WriteColumn, WriteTable } from "./write-table.ts";

/** A patch with its place among those of its page. */
export type Numbered = { readonly ordinal: number; readonly patch: Patch };

/**
 * A column and the name of its values in the statements: by number, so that no column's name can collide with one of
 * ours.
 */
type Value = WriteColumn & { readonly as: string };

/**
 * The one statement of a write-back. It takes the patches as JSON, reads each value as its column's type would read it
 * from a client, and returns `ordinal` and `done` for each patch: `kept` for a row that has other values and was not
 * changed, `absent` for one that is not there and was not made. Only new rows go through `insert`, because an insert
 * that ends as an update has fired triggers and taken numbers from sequences; only changed rows go through `update`.
 * Each part that is asked for twice is read once, as it must be; Postgres 11 knows no word to say so.
 */
export function writeStatement(table: WriteTable, mayInsert: boolean): string {
  const { key, set } = valuesOf(table);
  const keyNames = quoteNames(key.map(({ name }) => name));
  const keyValues = listed(key.map(({ as }) => as));
  const quoted = quoteTable(table.name);
  const inserted = mayInsert ? insertOf(table) : `select ${keyNames} from ${quoted} where false`;
  const differs = set.length === 0 ? "false" : wantedDiffers(set);
  return `with input as (
  select * from json_to_recordset($1::json) as input (ordinal int, ${recordOf([...key, ...set])})
), wanted as (
  select distinct on (${keyValues}) * from input order by ${keyValues}, ordinal desc
), present as (
  select wanted.ordinal, ${differs} as differs from wanted join ${quoted} as t on ${isWanted("t", key)}
), updated as (
  ${set.length === 0 ? "select ordinal from wanted where false" : updateOf(table)}
), inserted as (
  ${inserted}
)
select input.ordinal, case
  when wanted.ordinal in (select ordinal from updated) then 'written'
  when exists (select from inserted where ${isWanted("inserted", key)}) then 'written'
  when wanted.ordinal in (select ordinal from present where differs) then 'kept'
  when wanted.ordinal in (select ordinal from present) then 'unchanged'
  else 'absent' end as done
from input join wanted using (${keyValues})`;
}

function updateOf(table: WriteTable): string {
  const { key, set } = valuesOf(table);
  const changes = set.map(({ name, as }) => `${quoteName(name)} = wanted.${as}`);
  return `update ${quoteTable(table.name)} as t set ${listed(changes)} from wanted
  where ${isWanted("t", key)} and (${wantedDiffers(set)}) returning wanted.ordinal`;
}

function insertOf(table: WriteTable): string {
  const { key, set } = valuesOf(table);
  const all = [...key, ...set];
  const keyNames = quoteNames(key.map(({ name }) => name));
  const changes = set.map(({ name }) => `${quoteName(name)} = excluded.${quoteName(name)}`);
  const differs = set.map((column) => differsFrom(column, `excluded.${quoteName(column.name)}`));
  const orElse =
    set.length === 0 ? "nothing" : `update set ${listed(changes)} where ${differs.join(" or ")}`;
  return `insert into ${quoteTable(table.name)} as t (${quoteNames(all.map(({ name }) => name))})
  select ${listed(all.map(({ as }) => as))} from wanted where ordinal not in (select ordinal from present)
  on conflict (${keyNames}) do ${orElse} returning ${listed(key.map(({ name }) => `t.${quoteName(name)}`))}`;
}

/**
 * For each column, the statement that reads its values of patches, and touches no table: it fails where the
 * column is at fault.
 */
export function readStatements(table: WriteTable): readonly { name: string; sql: string }[] {
  const { key, set } = valuesOf(table);
  return [...key, ...set].map(({ name, as, type }) => ({
    name,
    sql: `select count(${as}) from json_to_recordset($1::json) as input (${as} ${type})`,
  }));
}

/** Patches as the statements take them. */
export function parameterOf(patches: readonly Numbered[], table: WriteTable): string {
  const { key, set } = valuesOf(table);
  const rows = patches.map(({ ordinal, patch }) => {
    const row: Record<string, JsonValue | undefined> = { ordinal };
    for (const { name, as } of key) row[as] = patch.key[name];
    for (const { name, as } of set) row[as] = patch.set[name];
    return row;
  });
  return JSON.stringify(rows);
}

function valuesOf({ key, set }: WriteTable): { key: readonly Value[]; set: readonly Value[] } {
  return {
    key: key.map((column, index) => ({ ...column, as: `k${index}` })),
    set: set.map((column, index) => ({ ...column, as: `s${index}` })),
  };
}

function listed(parts: readonly string[]): string {
  return parts.join(", ");
}

function recordOf(values: readonly Value[]): string {
  return listed(values.map(({ as, type }) => `${as} ${type}`));
}

function isWanted(alias: string, key: readonly Value[]): string {
  return key.map(({ name, as }) => `${alias}.${quoteName(name)} = wanted.${as}`).join(" and ");
}

function wantedDiffers(set: readonly Value[]): string {
  return set.map((column) => differsFrom(column, `wanted.${column.as}`)).join(" or ");
}

function differsFrom({ name, isComparedAsText }: WriteColumn, value: string): string {
  const cast = isComparedAsText ? '::text collate "C"' : "";
  return `t.${quoteName(name)}${cast} is distinct from ${value}${cast}`;
}

import { z } from "zod";

import { ConfigError } from "../../src/errors.ts";
import { quoteName } from "../../src/postgres/names.ts";
import type { Column, Discovery } from "../contract/connector.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import { textIn, withSession, type Session, type TextRow } from "./client.ts";
import type { PostgresConfig } from "./config.ts";
import { shownTable } from "./sql/identifier.ts";
import { isNeverNullSql } from "./sql/never-null.ts";

/** Tables and views of which the role may read every column, except those of the system and of extensions. */
const tablesStatement = `
  select c.oid, n.nspname as schema, c.relname as name
  from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
    and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_'
    and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')
    and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
  order by n.nspname, c.relname limit $1`;

const columnsStatement = `
  select a.attrelid as table, a.attname as name, not ${isNeverNullSql} as is_nullable,
    format_type(a.atttypid, a.atttypmod) as note, format_type(base.oid, -1) as type, base.typcategory as category
  from pg_attribute as a
  join pg_type as t on t.oid = a.atttypid
  join pg_type as base on base.oid = case t.typtype when 'd' then t.typbasetype else t.oid end
  where a.attrelid = any ($1) and a.attnum > 0 and not a.attisdropped
  order by a.attrelid, a.attnum`;

/** The columns of the primary key or, where there is none, of another unique index over columns that are never null. */
const keysStatement = `
  select distinct on (i.indrelid) i.indrelid as table, i.indisprimary as is_primary, key.names::text as names
  from pg_index as i cross join lateral (
    select json_agg(a.attname order by part.place) as names, bool_and(${isNeverNullSql}) as is_filled
    from unnest(i.indkey) with ordinality as part (attnum, place)
    join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = part.attnum
    where part.place <= i.indnkeyatts) as key
  where i.indrelid = any ($1) and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
    and key.is_filled
  order by i.indrelid, i.indisprimary desc, i.indnkeyatts, i.indexrelid`;

/** Lists the tables and views that the role may read. */
export async function discoverPostgres(
  request: ConnectorRequest<PostgresConfig> & { readonly max: number },
): Promise<readonly Discovery[]> {
  return await withSession(request, async (session) => {
    const tables = await session.query(tablesStatement, [request.max]);
    if (tables.length === 0) await assertNothingHidden(session);
    const oids = [tables.map(({ oid }) => oid)];
    const columns = Map.groupBy(await session.query(columnsStatement, oids), ({ table }) => table);
    const keys = await session.query(keysStatement, oids);
    const keyOf = new Map(keys.map((row) => [row["table"], row]));
    return tables.map((row): Discovery => {
      const { oid = null } = row;
      const shown = shownTable({ schema: textIn(row, "schema"), table: textIn(row, "name") });
      const key = keyOf.get(oid);
      return discoveryOf(shown, (columns.get(oid) ?? []).map(columnOf), key);
    });
  });
}

/** @throws {ConfigError} there are tables, and the role may read none of them. */
async function assertNothingHidden(session: Session): Promise<void> {
  const hidden = await session.query(
    `select current_user as role, current_database() as database, n.nspname as schema
     from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname <> 'information_schema' and n.nspname !~ '^pg_'
     group by n.nspname order by count(*) desc, n.nspname limit 1`,
  );
  const [row] = hidden;
  if (row === undefined) return;
  const role = quoteName(textIn(row, "role"));
  const schema = quoteName(textIn(row, "schema"));
  throw new ConfigError(`role ${role} may read no table of database ${textIn(row, "database")}`, {
    field: "url",
    hint: `Run: grant usage on schema ${schema} to ${role}; grant select on all tables in schema ${schema} to ${role};`,
  });
}

function discoveryOf(
  table: string,
  columns: readonly Column[],
  found: TextRow | undefined,
): Discovery {
  const key = namesOf.parse(JSON.parse(found?.["names"] ?? "[]"));
  const changed = changeColumnOf(columns);
  return {
    name: table,
    from: {
      table,
      // The primary key is the default.
      ...(found?.["is_primary"] === "f" && { key }),
      ...(changed !== undefined && key.length > 0 && { changed_by: { column: changed } }),
    },
    columns,
    key,
  };
}

const namesOf = z.array(z.string());

const updated = /^(last_?)?(updated|modified|changed)(_?(at|on|date|time|timestamp|ts))?$/i;

/** The column that most likely says when a row changed: it has such a name, is a time, and is never null. */
function changeColumnOf(columns: readonly Column[]): string | undefined {
  return columns.find(
    ({ name, type, isNullable }) => type === "time" && isNullable === false && updated.test(name),
  )?.name;
}

function columnOf(row: TextRow): Column {
  return {
    name: textIn(row, "name"),
    type: typeOf(textIn(row, "type"), textIn(row, "category")),
    isNullable: row["is_nullable"] === "t",
    note: textIn(row, "note"),
  };
}

const typesByName: ReadonlyMap<string, Column["type"]> = new Map([
  ["date", "date"],
  ["timestamp with time zone", "time"],
  ["timestamp without time zone", "time"],
  ["json", "json"],
  ["jsonb", "json"],
  ["uuid", "string"],
  ["money", "other"],
]);

/**
 * By the letters of `pg_type.typcategory`: an array is read as JSON, an interval, an address or a string of
 * bits as text.
 */
const typesByCategory: Readonly<Record<string, Column["type"] | undefined>> = {
  A: "json",
  B: "boolean",
  D: "string",
  E: "string",
  I: "string",
  N: "number",
  S: "string",
  T: "string",
  V: "string",
};

function typeOf(type: string, category: string): Column["type"] {
  return typesByName.get(type) ?? typesByCategory[category] ?? "other";
}

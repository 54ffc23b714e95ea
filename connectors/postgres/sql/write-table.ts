import { ConfigError } from "../../../src/errors.ts";
import { quoteNames } from "../../../src/postgres/names.ts";
import type { PatchColumns } from "../../contract/patches.ts";
import { textIn, type Session } from "../client.ts";
import { isDeterministicSql } from "./collations.ts";
import { quoteTable, shownColumns, shownTable, type TableName } from "./identifier.ts";
import { assertCompared } from "./operators.ts";

/** A column that is written. */
export type WriteColumn = {
  readonly name: string;
  /** As it is in a statement: `numeric(10,2)`. */
  readonly type: string;
  /**
   * Whether `=` does not mean "the same value": for json and xml, which have no `=`; for shapes, which are equal when
   * their areas are; for intervals, where 30 days are a month; and where case makes no difference.
   */
  readonly isComparedAsText: boolean;
};

/** The columns of a write-back as the table has them, in the order of the patches. */
export type WriteTable = {
  readonly name: TableName;
  readonly key: readonly WriteColumn[];
  readonly set: readonly WriteColumn[];
};

const columnsStatement = `
  select a.attname as name, a.atttypid as oid,
    format_type(a.atttypid, a.atttypmod) || coalesce(
      (select format(' collate %I.%I', n.nspname, c.collname)
       from pg_collation as c join pg_namespace as n on n.oid = c.collnamespace
       where c.oid = a.attcollation and c.oid <> t.typcollation), '') as type,
    item.typcategory = 'G' or item.typname in ('json', 'xml', 'interval', 'citext')
      or exists (select from pg_collation as c where c.oid = a.attcollation and not ${isDeterministicSql})
      as as_text,
    (select relkind in ('v', 'm') from pg_class where oid = a.attrelid) as is_view
  from pg_attribute as a
  join pg_type as t on t.oid = a.atttypid
  join pg_type as base on base.oid = case t.typtype when 'd' then t.typbasetype else t.oid end
  join pg_type as item on item.oid = case base.typcategory when 'A' then base.typelem else base.oid end
  where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped
  order by a.attnum`;

/** The indexes that `on conflict` can use: of these columns and no others, over every row, checked at once. */
const uniqueStatement = `
  select from pg_index as i
  where i.indrelid = to_regclass($1) and i.indisunique and i.indisvalid and i.indimmediate
    and i.indpred is null and i.indexprs is null and i.indnkeyatts = cardinality($2::text[])
    and not exists (
      select from unnest(i.indkey) with ordinality as part (attnum, place)
      join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = part.attnum
      where part.place <= i.indnkeyatts and a.attname <> all ($2))`;

/**
 * Looks up a table that is to be written.
 * @throws {ConfigError} it is not there, or has no such columns, or its key would be compared as another type, or
 * nothing makes its key unique: then a row could be written twice.
 */
export async function readWriteTable(
  session: Session,
  name: TableName,
  columns: PatchColumns,
): Promise<WriteTable> {
  const quoted = quoteTable(name);
  const rows = await session.query(columnsStatement, [quoted]);
  const shown = shownTable(name);
  if (rows.length === 0) {
    throw new ConfigError(`there is no table ${shown} to write to`, {
      field: "table",
      hint: "`sluice pull <name> --ddl` prints the statement that makes it.",
    });
  }
  if (rows[0]?.["is_view"] === "t") {
    throw new ConfigError(`${shown} is a view, and only tables are written`, {
      field: "table",
      hint: "Name the table that it shows.",
    });
  }
  const byName = new Map(
    rows.map((row): [string, WriteColumn] => {
      const column = textIn(row, "name");
      const isComparedAsText = row["as_text"] === "t";
      return [column, { name: column, type: textIn(row, "type"), isComparedAsText }];
    }),
  );
  const found = (member: keyof PatchColumns): readonly WriteColumn[] =>
    columns[member].map((wanted) => {
      const column = byName.get(wanted);
      if (column !== undefined) return column;
      throw new ConfigError(`the table ${shown} has no column ${wanted}`, {
        field: member,
        hint: `Its columns are ${shownColumns([...byName.keys()])}.`,
      });
    });
  const table = { name, key: found("key"), set: found("set") };
  const oids = rows.map((row) => ({ name: textIn(row, "name"), oid: Number(textIn(row, "oid")) }));
  await assertCompared(
    session,
    oids.filter((column) => columns.key.includes(column.name)),
  );
  const unique = await session.query(uniqueStatement, [quoted, columns.key]);
  if (unique.length > 0) return table;
  throw new ConfigError(
    `nothing makes ${columns.key.join(", ")} unique in ${shown}, so a row could be written twice`,
    { field: "key", hint: `Run: create unique index on ${quoted} (${quoteNames(columns.key)});` },
  );
}

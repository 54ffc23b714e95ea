import { ConfigError } from "../../src/errors.ts";
import { quoteName } from "../../src/postgres/names.ts";
import type { PatchColumns } from "../contract/patches.ts";
import type { ConnectorRequest } from "../contract/request.ts";
import { textIn, withSession, type Session } from "./client.ts";
import type { PostgresConfig } from "./config.ts";
import { tableOf } from "./sql/ddl.ts";
import { quoteTable, shownTable, type TableName } from "./sql/identifier.ts";
import { readWriteTable } from "./sql/write-table.ts";

type WriteOf = {
  readonly name: TableName;
  readonly columns: PatchColumns;
  readonly mayInsert: boolean;
};

/**
 * Checks whether `writePostgres` could write these columns, and writes nothing.
 * @throws {ConfigError} there is no such table, column or unique key, or the role may not write it; the hint is the
 * statement that helps.
 */
export async function checkWritePostgres(
  request: ConnectorRequest<PostgresConfig> & { readonly columns: PatchColumns },
): Promise<void> {
  const { config, signal, columns } = request;
  const name = tableOf(config);
  await withSession({ config, signal, isWritable: true }, async (session) => {
    await assertSchema(session, name);
    await readWriteTable(session, name, columns);
    const of = { name, columns, mayInsert: config.insert };
    await assertTakesValues(session, of);
    await assertGrants(session, of);
    if (config.insert) await assertSequences(session, of);
  });
}

/** A schema that the role may not use hides even whether the table is there. */
async function assertSchema(session: Session, { schema }: TableName): Promise<void> {
  if (schema === undefined) return;
  const [row] = await session.query(
    "select current_user as role, has_schema_privilege($1, 'usage') as is_usable",
    [schema],
  );
  if (row?.["is_usable"] === "t") return;
  const role = quoteName(textIn(row ?? {}, "role"));
  throw new ConfigError(`role ${role} may not use the schema ${schema}`, {
    field: "table",
    hint: `Run: grant usage on schema ${quoteName(schema)} to ${role};`,
  });
}

/** Postgres alone fills a column that it generates; no grant helps. `attgenerated` is new in Postgres 12. */
async function assertTakesValues(session: Session, of: WriteOf): Promise<void> {
  const { name, mayInsert } = of;
  const { key, set } = of.columns;
  const [row] = await session.query(
    `select attname as column from pg_attribute as a where attrelid = $1::regclass and attname = any ($2)
       and (attidentity = 'a' or to_jsonb(a) ->> 'attgenerated' <> '')`,
    [quoteTable(name), [...set, ...(mayInsert ? key : [])]],
  );
  if (row === undefined) return;
  const column = textIn(row, "column");
  const member = set.includes(column) ? "set" : "key";
  throw new ConfigError(`Postgres itself generates the column ${column} of ${shownTable(name)}`, {
    field: member,
    hint:
      member === "set"
        ? "Leave it out of `set`, or write a column of another name."
        : "With `insert: false` it finds rows; where rows are made, the key must be another.",
  });
}

/** An expression: whether the role has a privilege on each column of a parameter. */
function may(privilege: string, parameter: string): string {
  return (
    `(select coalesce(bool_and(has_column_privilege($1::regclass, c, '${privilege}')), true) from ` +
    `unnest(${parameter}::text[]) as c)`
  );
}

/** Checks the rights that the one statement of a write-back needs: it compares, adds and changes columns. */
async function assertGrants(session: Session, of: WriteOf): Promise<void> {
  const { name, mayInsert } = of;
  const { key, set } = of.columns;
  const table = quoteTable(name);
  const [row = {}] = await session.query(
    `select current_user as role, ${may("select", "$2")} as "select", ${may("insert", "$2")} as "insert", ` +
      `${may("update", "$3")} as "update"`,
    [table, [...key, ...set], set],
  );
  const needed = ["select", ...(mayInsert ? ["insert"] : []), "update"];
  const missing = needed.filter((privilege) => row[privilege] !== "t");
  if (missing.length === 0) return;
  const role = quoteName(textIn(row, "role"));
  throw new ConfigError(`role ${role} may not ${missing.join(", ")} in ${table}`, {
    field: "table",
    hint: `Run: grant ${missing.join(", ")} on ${table} to ${role};`,
  });
}

/** A new row takes a number from each sequence that is the default of a column which is not written. */
async function assertSequences(session: Session, { name, columns }: WriteOf): Promise<void> {
  const [row] = await session.query(
    `select current_user as role, a.attname as column, n.nspname as schema, s.relname as sequence
     from pg_attrdef as d
     join pg_attribute as a on a.attrelid = d.adrelid and a.attnum = d.adnum
     join pg_depend as p on p.classid = 'pg_attrdef'::regclass and p.objid = d.oid
       and p.refclassid = 'pg_class'::regclass
     join pg_class as s on s.oid = p.refobjid
     join pg_namespace as n on n.oid = s.relnamespace
     where d.adrelid = $1::regclass and a.attname <> all ($2)
       and case s.relkind when 'S' then not has_sequence_privilege(s.oid, 'usage, update') end
     order by a.attnum`,
    [quoteTable(name), [...columns.key, ...columns.set]],
  );
  if (row === undefined) return;
  const role = quoteName(textIn(row, "role"));
  const sequence = quoteTable({ schema: textIn(row, "schema"), table: textIn(row, "sequence") });
  throw new ConfigError(
    `role ${role} may not use ${sequence}, from which a new row gets its ${textIn(row, "column")}`,
    { field: "table", hint: `Run: grant usage on sequence ${sequence} to ${role};` },
  );
}

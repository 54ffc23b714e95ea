import { ConfigError } from "../../../src/errors.ts";
import { quoteName } from "../../../src/postgres/names.ts";
import { textIn, type Session } from "../client.ts";

/** The least OID of what was not made with the server itself; the operators of its own types are always found. */
const firstOidOfUsers = 16_384;

/** The types of `$1`, domains as their base types, of which this role's search path does not find each comparison. */
const unseenStatement = `
  with recursive types as (
    select oid, typbasetype from pg_type where oid = any ($1)
    union all
    select t.oid, t.typbasetype from types join pg_type as t on t.oid = types.typbasetype)
  select format_type(types.oid, -1) as type, n.nspname as schema, current_user as role,
    current_setting('search_path') as path
  from types join pg_opclass as c on c.opcintype = types.oid and c.opcdefault
    join pg_am as m on m.oid = c.opcmethod and m.amname = 'btree'
    join pg_amop as a on a.amopfamily = c.opcfamily and a.amoplefttype = types.oid and a.amoprighttype = types.oid
    join pg_operator as o on o.oid = a.amopopr
    join pg_namespace as n on n.oid = o.oprnamespace
  where not pg_operator_is_visible(o.oid) and has_schema_privilege(n.oid, 'usage')
  limit 1`;

/**
 * @throws {ConfigError} a column's type is one of an extension whose schema is not in the search path. Where that type
 * can pass for another one, as citext for text, `>` and `=` would silently be those of the other, while rows come in
 * the order of its own.
 */
export async function assertCompared(
  session: Session,
  columns: readonly { readonly name: string; readonly oid: number }[],
): Promise<void> {
  for (const { name, oid } of columns.filter((column) => column.oid >= firstOidOfUsers)) {
    const [row] = await session.query(unseenStatement, [[oid]]);
    if (row === undefined) continue;
    const type = textIn(row, "type");
    const path = `${textIn(row, "path")}, ${quoteName(textIn(row, "schema"))}`.replace(/^, /, "");
    throw new ConfigError(
      `${name} is ${type}, whose schema is not in this role's search path: it would be compared as another type`,
      {
        field: "key",
        hint: `Run: alter role ${quoteName(textIn(row, "role"))} set search_path = ${path};`,
      },
    );
  }
}

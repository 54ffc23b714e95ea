/**
 * Whether a row `a` of `pg_attribute` is a column that no row has a NULL in, in SQL. From Postgres 18 on, `not null …
 * not valid` marks a column at once, and its older rows may have one.
 */
export const isNeverNullSql = `(a.attnotnull and not exists (
  select from pg_constraint as n where n.conrelid = a.attrelid and n.contype = 'n' and not n.convalidated
    and a.attnum = any (n.conkey)))`;

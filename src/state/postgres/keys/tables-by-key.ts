/** An index in which each key of a set occurs once for each value of other columns; the key is as in `indexedKey`. */
function uniqueByKey(table: string, ...column: readonly string[]): string {
  const key = ["hashtextextended(key, 0)", "hashtextextended(key, 1)"];
  return `create unique index ${table}_unique on $schema.${table} (${["set_id", ...key, ...column].join(", ")})`;
}

/**
 * The tables of step 1 that are searched by the text of a key, which has no limit; an entry of a btree index has one.
 */
export const tablesByKey: readonly string[] = [
  `create table $schema.refusals (
  set_id bigint not null,
  key text not null,
  hash bytea not null,
  code text not null,
  field text,
  noted_at text not null
)`,
  uniqueByKey("refusals", "hash"),
  `create index refusals_by_key on $schema.refusals using hash (key)`,
  `create table $schema.doubts (
  set_id bigint not null,
  key text not null,
  request bigint not null,
  send bigint,
  record bigint,
  next_send bigint,
  next_record bigint,
  is_lost bigint not null default 0
)`,
  uniqueByKey("doubts", "request"),
  `create index doubts_by_key on $schema.doubts using hash (key)`,
  `create index doubts_by_next on $schema.doubts (next_send) where next_send is not null`,
  `create index doubts_by_send on $schema.doubts (send) where send is not null`,
  `create table $schema.stray_keys (
  set_id bigint not null,
  key text not null,
  run_id text not null
)`,
  uniqueByKey("stray_keys"),
  `create index stray_keys_by_key on $schema.stray_keys using hash (key)`,
];

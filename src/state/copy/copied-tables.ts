// The tables of a store, as a copy takes them from one database to the other. Rows are copied in SQLite's form, and
// Postgres converts the values that it stores differently.

/** A table that both databases have under one name, with the same columns. */
export type AlikeTable = {
  readonly name: string;
  /** A column whose numbers are drawn. Postgres never reuses one, SQLite never in an `autoincrement` column. */
  readonly drawn?: string;
  /** A column that `select *` leaves out in SQLite. */
  readonly hidden?: string;
  /** The SQL expressions that are copied in place of columns. */
  readonly instead?: Readonly<Record<string, string>>;
};

/** A table that each database stores in its own way. */
export type OwnTable = {
  readonly name: string;
  readonly drawn?: string;
  readonly isOfInbox?: boolean;
  /** Types of the copied values, as Postgres names them. */
  readonly types: readonly string[];
  readonly sqlite: { readonly table: string; readonly read: string; readonly write: string };
  /** `$schema.` precedes each table's name; `write` takes the columns `v1`, `v2` and so on of `r`. */
  readonly postgres: { readonly read: string; readonly write: string };
};

function namesIn(text: string): readonly string[] {
  return text.split(" ");
}

/** The tables that are the same in both. */
export const alikeTables: readonly AlikeTable[] = [
  { name: "runs", drawn: "rowid", hidden: "rowid" },
  { name: "checkpoint_audit", drawn: "id" },
  { name: "stagings", drawn: "send" },
  { name: "fingerprint_sets", drawn: "id" },
  { name: "adoptions", drawn: "id" },
  // No boot has this id, so the wall clock decides how much of their time is left.
  { name: "requests", drawn: "request", instead: { boot_id: "'moved'" } },
  ...namesIn(
    "lanes plans checkpoints receipts faults rejects replays locks pulls pull_pages pull_domains pull_keys pull_runs " +
      "identities refusals sent_keys doubts stray_keys mappings fingerprint_fields kept_mappings adopted " +
      "whole_readings vanished",
  ).map((name) => ({ name })),
];

/** In SQLite, ids of one set in `field_hashes.id`, and sequence numbers of one connection in `events.place`. */
const [idsPerSet, seqsPerConnection] = ["4294967296", "1099511627776"];

/** The columns of a connection of an inbox, under the same names in both. */
const namesOfConnection = "number, name, last_seq, accepted_seq, woken, leaving_seq, leaving_since";

/** The tables that differ. */
export const ownTables: readonly OwnTable[] = [
  {
    name: "fingerprints",
    types: ["bigint", "bigint", "bytea", "bytea", "bigint", "bigint"],
    sqlite: {
      table: "fingerprints",
      read: "select set_id, number, tag, hash, send, id from fingerprints",
      write:
        "insert into fingerprints (set_id, number, tag, hash, send, id) values (?, ?, ?, ?, ?, ?)",
    },
    postgres: {
      read: `select set_id::bigint, number, int8send(tag), uuid_send(hash), send, id::bigint
        from $schema.fingerprints`,
      write: `insert into $schema.fingerprints (set_id, number, tag, hash, send, id)
        select v1::integer, v2, ('x' || encode(v3, 'hex'))::bit(64)::bigint, encode(v4, 'hex')::uuid, v5, v6::integer
        from r`,
    },
  },
  {
    name: "field_hashes",
    types: ["bigint", "bytea"],
    sqlite: {
      table: "field_hashes",
      read: "select id, hashes from field_hashes",
      write: "insert into field_hashes (id, hashes) values (?, ?)",
    },
    postgres: {
      read: `select set_id * ${idsPerSet} + id, hashes from $schema.field_hashes`,
      write: `insert into $schema.field_hashes (set_id, id, hashes)
        select (v1 / ${idsPerSet})::integer, (v1 % ${idsPerSet})::integer, v2 from r`,
    },
  },
  {
    name: "sighted_blocks",
    types: ["bigint", "bigint", "text", "text"],
    sqlite: {
      table: "sighted_blocks",
      read: "select set_id, block, ids_of_block(block, age_runs), ages_of_block(age_runs) from sighted_blocks",
      write:
        "insert into sighted_blocks (set_id, block, age_runs) values (?1, ?2, block_of(?3, ?4))",
    },
    postgres: {
      read: `select set_id::bigint, block::bigint, to_json(ids)::text, to_json(ages)::text
        from $schema.sighted_blocks`,
      write: `insert into $schema.sighted_blocks (set_id, block, ids, ages)
        select v1::integer, v2::integer, array(select json_array_elements_text(v3::json)::integer),
          array(select json_array_elements_text(v4::json)::bigint) from r`,
    },
  },
  {
    name: "inbox_connections",
    drawn: "number",
    isOfInbox: true,
    types: ["bigint", "text", "bigint", "bigint", "bigint", "bigint", "bigint"],
    sqlite: {
      table: "connections",
      read: `select ${namesOfConnection} from connections`,
      write: `insert into connections (${namesOfConnection}) values (?, ?, ?, ?, ?, ?, ?)`,
    },
    postgres: {
      read: `select ${namesOfConnection} from $schema.inbox_connections`,
      write: `insert into $schema.inbox_connections (${namesOfConnection})
        overriding system value select v1, v2, v3, v4, v5, v6, v7 from r`,
    },
  },
  {
    name: "inbox_events",
    isOfInbox: true,
    types: ["bigint", "bigint", "bigint", "bytea", "bytea"],
    sqlite: {
      table: "events",
      read: "select place, received_at, conflict, cast(id as blob), cast(json as blob) from events",
      write: `insert into events (place, received_at, conflict, id, json)
        values (?, ?, ?, cast(? as text), cast(? as text))`,
    },
    postgres: {
      read: `select connection * ${seqsPerConnection} + seq, received_at, is_conflict, id, json
        from $schema.inbox_events`,
      write: `insert into $schema.inbox_events (connection, seq, received_at, is_conflict, id, json)
        select v1 / ${seqsPerConnection}, v1 % ${seqsPerConnection}, v2, v3, v4, v5 from r`,
    },
  },
  {
    name: "inbox_ids",
    isOfInbox: true,
    types: ["bigint", "bytea", "bytea", "bigint"],
    sqlite: {
      table: "known_ids",
      read: "select connection, id_hash, body_hash, received_at from known_ids",
      write:
        "insert into known_ids (connection, id_hash, body_hash, received_at) values (?, ?, ?, ?)",
    },
    postgres: {
      read: "select connection, id_hash, body_hash, received_at from $schema.inbox_ids",
      write: `insert into $schema.inbox_ids (connection, id_hash, body_hash, received_at)
        select v1, v2, v3, v4 from r`,
    },
  },
];

/**
 * The tables of a store that are not copied: workers and waits start over, and no key data is kept apart while nothing
 * runs.
 */
export const leftTables: readonly string[] = namesIn(
  "hosts run_hosts rate_limits sightings staged_keys staged_fields",
);

/** State tables of which at least one has a row once a project has worked, even after its runs were pruned. */
export const tellingTables: readonly string[] = namesIn("runs checkpoints fingerprint_sets");

/** The tables of a SQLite inbox that are not copied, because their ids are merged into `known_ids` first. */
export const leftInboxTables: readonly string[] = ["recent_ids"];

/** The tables that are not copied and that only SQLite has. */
export const leftSqliteTables: readonly string[] = ["known_blocks", "changed_sets"];

/** The tables that are not copied and that only Postgres has. */
export const leftPostgresTables: readonly string[] = ["staged_sends"];

/** The facts that stay with a store; all others are copied. */
export const ownFacts: ReadonlySet<string> = new Set(
  namesIn(
    "store_id inbox_id schema_version moved_to moved_to_id moved_by copied_from last_beat timeline project",
  ),
);

/** A column, and its type in Postgres. */
export type TypedColumn = { readonly name: string; readonly type: string };

/** Makes an `OwnTable` of a table that is the same in both. */
export function withStatements(
  { name, drawn, instead = {} }: AlikeTable,
  columns: readonly TypedColumn[],
): OwnTable {
  const names = columns.map((column) => column.name);
  const list = names.join(", ");
  const read = names.map((column) => instead[column] ?? column).join(", ");
  return {
    name,
    ...(drawn === undefined ? {} : { drawn }),
    types: columns.map(({ type }) => type),
    sqlite: {
      table: name,
      read: `select ${read} from ${name}`,
      write: `insert into ${name} (${list}) values (${names.map(() => "?").join(", ")})`,
    },
    postgres: {
      read: `select ${read} from $schema.${name}`,
      write: `insert into $schema.${name} (${list}) overriding system value
        select ${names.map((_, index) => `v${index + 1}`).join(", ")} from r`,
    },
  };
}

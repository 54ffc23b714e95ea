// The tables of a store as a copy takes them from one database to the other. A row is on its way as SQLite has it; what
// Postgres holds otherwise is converted there.

/** A table that both databases have under one name, with the same columns. */
export type AlikeTable = {
  readonly name: string;
  /** A column whose numbers are drawn, and never given again. */
  readonly drawn?: string;
  /** A column that `select *` leaves out in SQLite. */
  readonly hidden?: string;
  /** What is copied in place of a column, in SQL. */
  readonly instead?: Readonly<Record<string, string>>;
};

/** A table that each database has in its own way. */
export type OwnTable = {
  readonly name: string;
  readonly drawn?: string;
  readonly isOfInbox?: boolean;
  /** Of the values on their way, as Postgres names types. */
  readonly types: readonly string[];
  readonly sqlite: { readonly table: string; readonly read: string; readonly write: string };
  /** `$schema.` stands before each name; what is written are the columns `v1` and so on of `r`. */
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
  // Of another boot than any: what is left of their time is told by the wall clock.
  { name: "requests", drawn: "request", instead: { boot_id: "'moved'" } },
  ...namesIn(
    "lanes plans checkpoints receipts faults rejects replays locks pulls pull_pages pull_domains pull_keys pull_runs " +
      "identities refusals sent_keys doubts stray_keys mappings fingerprint_fields kept_mappings adopted " +
      "whole_readings vanished",
  ).map((name) => ({ name })),
];

/** Ids of one set, in SQLite's numbers of fields; sequence numbers of one connection, in its places of events. */
const [idsPerSet, seqsPerConnection] = ["4294967296", "1099511627776"];

/** The tables that are not. */
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
    types: ["bigint", "text", "bigint", "bigint", "bigint"],
    sqlite: {
      table: "connections",
      read: "select number, name, last_seq, accepted_seq, woken from connections",
      write:
        "insert into connections (number, name, last_seq, accepted_seq, woken) values (?, ?, ?, ?, ?)",
    },
    postgres: {
      read: "select number, name, last_seq, accepted_seq, woken from $schema.inbox_connections",
      write: `insert into $schema.inbox_connections (number, name, last_seq, accepted_seq, woken)
        overriding system value select v1, v2, v3, v4, v5 from r`,
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
 * The tables of a store that are not copied: who works now and what is waited for begins anew, and nothing of a key
 * stands apart while nothing runs.
 */
export const leftTables: readonly string[] = namesIn(
  "hosts run_hosts rate_limits sightings staged_keys staged_fields",
);

/** The tables of a state of which one has a row where a project was at work, also where its runs were pruned since. */
export const tellingTables: readonly string[] = namesIn("runs checkpoints fingerprint_sets");

/** Those of an inbox in SQLite, of which the ids were merged before. */
export const leftInboxTables: readonly string[] = ["recent_ids"];

/** Those that only Postgres has. */
export const leftPostgresTables: readonly string[] = ["staged_sends"];

/** The facts of a store that stay where they are; all others go with it. */
export const ownFacts: ReadonlySet<string> = new Set(
  namesIn("store_id inbox_id schema_version moved_to copied_from last_beat timeline project"),
);

/** A column, and its type in Postgres. */
export type TypedColumn = { readonly name: string; readonly type: string };

/** A table that is the same in both, as one that each has in its own way. */
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

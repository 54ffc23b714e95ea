import type { Generated } from "kysely";

/** A connection that ever received something. */
type InboxConnectionsTable = {
  readonly number: Generated<number>;
  readonly name: string;
  readonly lastSeq: Generated<number>;
  readonly acceptedSeq: Generated<number>;
  readonly woken: Generated<number>;
  readonly leavingSeq: Generated<number>;
  readonly leavingSince: Generated<number>;
};

/** Events, by their connection's number and their own. */
type InboxEventsTable = {
  readonly connection: number;
  readonly seq: number;
  readonly receivedAt: number;
  readonly isConflict: number;
  /** UTF-8, as for the body: Postgres's text type takes no NUL. */
  readonly id: Uint8Array | null;
  readonly json: Uint8Array;
};

/** The ids of the events that came, each with a hash of every body that it came with. */
type InboxIdsTable = {
  readonly connection: number;
  readonly idHash: Uint8Array;
  readonly bodyHash: Uint8Array;
  /** When the first body came, so that all are forgotten together. */
  readonly receivedAt: number;
};

/** The tables of an inbox in Postgres. */
export type InboxTables = {
  readonly inboxConnections: InboxConnectionsTable;
  readonly inboxEvents: InboxEventsTable;
  readonly inboxIds: InboxIdsTable;
};

/** The statements that make the tables, with `$schema.` in front of each name. */
export const inboxStep: readonly string[] = [
  `create table $schema.inbox_connections (
    number bigint generated always as identity primary key,
    name text not null unique,
    last_seq bigint not null default 0,
    accepted_seq bigint not null default 0,
    woken bigint not null default 0
  )`,
  `create table $schema.inbox_events (
    connection bigint not null,
    seq bigint not null,
    received_at bigint not null,
    is_conflict bigint not null,
    id bytea,
    json bytea not null,
    primary key (connection, seq)
  )`,
  `create table $schema.inbox_ids (
    connection bigint not null,
    id_hash bytea not null,
    body_hash bytea not null,
    received_at bigint not null,
    primary key (connection, id_hash, body_hash)
  )`,
  `create index inbox_ids_by_time on $schema.inbox_ids (received_at)`,
  `insert into $schema.meta (name, value) values ('inbox_id', gen_random_uuid()::text)`,
];

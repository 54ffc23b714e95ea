/** The inbox's schema as numbered steps, like the state store's: a released step is never edited. */
export const inboxMigrations: readonly string[] = [
  // `place` combines the connection's number and the event's sequence number: a row of 1 KB is in one leaf, in reading
  // order, and no second tree has to be written. The checks keep one connection's places out of the next one's.
  `
  create table meta (name text primary key, value text not null) without rowid;

  create table connections (
    number integer primary key check (number < 8192),
    name text not null unique,
    last_seq integer not null default 0 check (last_seq < 1 << 40),
    accepted_seq integer not null default 0,
    rung integer not null default 0
  );

  create table events (
    place integer primary key,
    received_at integer not null,
    conflict integer not null,
    id text,
    json text not null
  );

  create table event_ids (
    connection integer not null,
    id_hash blob not null,
    body_hash blob not null,
    received_at integer not null,
    primary key (connection, id_hash, body_hash)
  ) without rowid;
  create index event_ids_by_time on event_ids (received_at);
  `,
  // Ids come in no order: written one by one into `event_ids`, each would change a page of the table and one of its
  // index. The table is renamed here, because a process of an older version would not know of the ids in `recent_ids`.
  `
  create table recent_ids (
    position integer primary key autoincrement,
    oldest_at integer not null,
    ids blob not null
  );

  drop index event_ids_by_time;
  alter table event_ids rename to known_ids;
  create index known_ids_by_hour on known_ids (received_at / 3600000);
  `,
  // Renames the column to the field's word; an older inbox keeps its values.
  "alter table connections rename column rung to woken;",
  // Which events are removed next, and since when that is known: their retention counts from there.
  `
  alter table connections add column leaving_seq integer not null default 0;
  alter table connections add column leaving_since integer not null default 0;
  `,
];

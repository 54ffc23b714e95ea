/**
 * Step 2: records that the service refused in a chunk that is not committed yet, how many events an inbox had lost
 * before a run, and the mappings that made the sent records.
 */
export const unsent = `
alter table runs add column gone integer not null default 0;
alter table sends add column mapping text;

create table mappings (
  set_id integer not null,
  mapping text not null,
  primary key (set_id, mapping)
) without rowid;

create table refusals (
  set_id integer not null,
  key text not null,
  hash blob not null,
  code text not null,
  field text,
  noted_at text not null,
  primary key (set_id, key, hash)
) without rowid;
`;

/** Step 15: the keys that whole readings of sources brought, and those that are gone. */
export const vanished = `
alter table runs add column vanished integer;

create table whole_readings (
  set_id integer primary key,
  run_id text not null,
  ids blob not null
);

create table vanished (
  set_id integer not null,
  run_id text not null,
  at text not null,
  ids blob not null,
  primary key (set_id, run_id)
) without rowid;
`;

/** Step 8: why the records of a staging are sent, and what a run is held for. */
export const holds = `
alter table stagings add column changes text;
alter table runs add column hold text;
`;

/** Step 9: the host of each lane of a run, and the state folder of each process. */
export const runHosts = `
alter table hosts add column folder text not null default '';

create table run_hosts (
  run_id text not null,
  lane integer not null,
  host_id text not null,
  primary key (run_id, lane)
) without rowid;
`;

/** Step 11: the mappings that made the sent records, and records that a person took for what the service holds. */
export const adoptions = `
create table kept_mappings (
  target text not null,
  sync text not null,
  mapping text not null,
  written text,
  deployed integer not null default 0,
  primary key (target, sync, mapping)
) without rowid;

create table adoptions (
  id integer primary key autoincrement,
  target text not null,
  sync text not null,
  fields text not null,
  reason text not null,
  records integer not null default 0,
  adopted_at text not null,
  undone_at text
);

create table adopted (
  set_id integer not null,
  number integer not null,
  tag blob not null,
  adoption integer not null,
  id integer not null,
  send integer not null,
  hash blob not null,
  hash_before blob not null,
  fields_before blob,
  primary key (set_id, number, tag, adoption)
) without rowid;

create index adopted_by_adoption on adopted (adoption);
`;

/** Step 18: the text of a mapping as the last run was opened with it, which may send nothing. */
export const openedMappings = "alter table kept_mappings add column opened text;";

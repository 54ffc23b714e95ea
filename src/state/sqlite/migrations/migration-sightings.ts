/** Step 4: what stagings saw and did not send, apart from the fingerprints, none of which is written for it. */
export const sightings = `
alter table fingerprints add column id integer;
alter table fingerprint_sets add column next_id integer not null default 1;

create table sightings (
  number integer primary key,
  set_id integer not null,
  send integer not null,
  ids blob not null,
  row_numbers blob not null
);
create index sightings_of_set on sightings (set_id, send);

create table sighted_blocks (
  set_id integer not null,
  block integer not null,
  ages blob not null,
  primary key (set_id, block)
);
`;

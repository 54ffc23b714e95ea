/**
 * Step 7: what a staging will make known is kept apart from the fingerprints until it is committed. A staging that is
 * open in the older store has already written its keys among the fingerprints, under a send that does not count yet:
 * they count once it is committed, as before, and stay unknown if it is abandoned.
 */
export const stagedKeys = `
create table staged_keys (
  number integer primary key autoincrement,
  set_id integer not null,
  send integer not null,
  first_id integer not null,
  drawn integer not null,
  numbers blob not null,
  tags blob not null,
  hashes blob not null,
  ids blob not null,
  times blob not null
);
create index staged_keys_of_set on staged_keys (set_id, send);

create table staged_fields (
  id integer not null,
  send integer not null,
  hashes blob not null,
  primary key (id, send)
) without rowid;
`;

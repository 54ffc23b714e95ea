/**
 * Step 7: what a staging will make known, apart from the fingerprints until it is committed. What a staging that is
 * open in the older store has written stands among the fingerprints already, under a send that does not count yet: it
 * counts once that is committed, as before, and stays unknown where it is given up.
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

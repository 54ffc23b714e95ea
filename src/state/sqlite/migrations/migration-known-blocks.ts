/**
 * Step 17: digests of blocks of fingerprints. The triggers keep them true whoever writes, also an older sluice: what
 * changes or removes a fingerprint removes the digest of its block. A new fingerprint belongs to no digest yet. (SQLite
 * runs no trigger for a row that `insert or replace` replaces: no statement may write fingerprints so.)
 */
export const knownBlocks = `
create table known_blocks (
  set_id integer not null,
  block integer not null,
  digest blob not null,
  sends text not null,
  primary key (set_id, block)
) without rowid;

create table changed_sets (set_id integer primary key, changes integer not null);

create trigger fingerprint_updated after update on fingerprints begin
  delete from known_blocks where set_id = old.set_id and block = (old.id - 1) / 64;
  insert into changed_sets (set_id, changes) values (old.set_id, 1)
    on conflict do update set changes = changes + 1;
end;

create trigger fingerprint_deleted after delete on fingerprints begin
  delete from known_blocks where set_id = old.set_id and block = (old.id - 1) / 64;
  insert into changed_sets (set_id, changes) values (old.set_id, 1)
    on conflict do update set changes = changes + 1;
end;
`;

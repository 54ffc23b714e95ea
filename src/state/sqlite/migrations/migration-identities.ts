/** Step 2: the known accounts and sources, and which fingerprints a restored store made unknown. */
export const identities = `
insert into meta (name, value) values ('salt', lower(hex(randomblob(16))));

create table identities (
  holder text not null,
  part text not null,
  identity text not null,
  shown text not null,
  since text not null,
  primary key (holder, part)
) without rowid;

alter table fingerprint_sets add column is_restored integer not null default 0;
`;

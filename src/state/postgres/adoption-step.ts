/** The mappings that made the sent records, and records that a person took for what the service holds. */
export const adoptionStep: readonly string[] = [
  `create table $schema.kept_mappings (
  target text not null,
  sync text not null,
  mapping text not null,
  written text,
  deployed bigint not null default 0,
  primary key (target, sync, mapping)
)`,
  `create table $schema.adoptions (
  id bigint generated always as identity primary key,
  target text not null,
  sync text not null,
  fields text not null,
  reason text not null,
  records bigint not null default 0,
  adopted_at text not null,
  undone_at text
)`,
  `create table $schema.adopted (
  set_id bigint not null,
  number bigint not null,
  tag bytea not null,
  adoption bigint not null,
  id bigint not null,
  send bigint not null,
  hash bytea not null,
  hash_before bytea not null,
  fields_before bytea,
  primary key (set_id, number, tag, adoption)
)`,
  "create index adopted_by_adoption on $schema.adopted (adoption)",
];

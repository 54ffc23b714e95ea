-- What the example reads and writes. `sluice pull account_scores --ddl` and `sluice pull hiring --ddl` print the last two tables.
create schema if not exists crm;

create table if not exists crm.companies (
  id bigint primary key,
  company_name text not null,
  website text,
  industry text,
  headcount integer,
  updated_at timestamptz not null default now()
);
create index if not exists companies_by_change on crm.companies (updated_at, id);

create table if not exists crm.account_scores (
  mk_id text primary key,
  domain text,
  fit integer,
  fit_segment text,
  buy integer
);

create table if not exists crm.job_postings (
  url text not null,
  event text not null,
  event_on date not null,
  title text,
  company_domain text,
  primary key (url, event, event_on)
);

/** Step 2: requests that may still be applied, and the order of rows in their chunk. */
export const pendingRequests = `
update fingerprints set seen = seen * 16777216;
alter table fingerprints add column seen_before integer not null default 0;
alter table rejects add column row_number integer;
alter table receipts add column landing text not null default '[]';

create table sent_keys (send integer primary key, keys text not null);

create table requests (
  request integer primary key autoincrement,
  set_id integer not null,
  stream text not null,
  send integer not null,
  part integer not null,
  attempt integer not null,
  process text not null,
  is_open integer not null default 1,
  is_made integer not null default 0,
  boot_id text,
  since real not null,
  since_wall real not null,
  deadline_ms integer not null,
  rest_ms integer not null,
  lasts_ms integer not null
);
create index requests_by_set on requests (set_id);
create index requests_by_send on requests (send);

create table doubts (
  set_id integer not null,
  key text not null,
  request integer not null,
  send integer,
  record integer,
  next_send integer,
  next_record integer,
  is_lost integer not null default 0,
  primary key (set_id, key, request)
) without rowid;
create index doubts_by_next on doubts (next_send) where next_send is not null;
create index doubts_by_send on doubts (send) where send is not null;

create table stray_keys (
  set_id integer not null,
  key text not null,
  run_id text not null,
  primary key (set_id, key)
) without rowid;
`;

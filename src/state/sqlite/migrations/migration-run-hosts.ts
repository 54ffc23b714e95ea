/** Step 9: where the lanes of runs work, and which state folder a process has. */
export const runHosts = `
alter table hosts add column folder text not null default '';

create table run_hosts (
  run_id text not null,
  lane integer not null,
  host_id text not null,
  primary key (run_id, lane)
) without rowid;
`;

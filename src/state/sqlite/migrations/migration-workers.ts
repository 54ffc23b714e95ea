/** Step 2: what a worker reports of itself, so that a command knows which would do its run, and how long none ran. */
export const workerFacts = `
alter table hosts add column name text not null default '';
alter table hosts add column command text not null default 'worker';
alter table hosts add column configs text not null default '{}';
alter table runs add column idle_ms integer not null default 0;
`;

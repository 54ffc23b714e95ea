/** Step 2: what a worker tells of itself, so that a command knows who would do its run. */
export const workerFacts = `
alter table hosts add column name text not null default '';
alter table hosts add column command text not null default 'worker';
alter table hosts add column configs text not null default '{}';
`;

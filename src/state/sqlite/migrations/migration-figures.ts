/** Step 10: indexes for pages: the newest runs of a sync, and the rejects of a run by their codes. */
export const figures = `
create index runs_newest on runs (sync);
create index rejects_by_code on rejects (run_id, code);
`;

/** Step 14: when a part left, was uploaded and was accepted, in Unix ms, for the time line of its run. */
export const partTimes = `
alter table receipts add column left_at integer;
alter table receipts add column uploaded_at integer;
alter table receipts add column accepted_at integer;
`;

/** Step 13: which rejects are open, and how many each staging has; rejects by code over all runs. */
export const openRejects = `
alter table rejects add column is_open integer not null default 1;
update rejects set is_open = 0 where replayed_by is not null or code in ('row_gone', 'refused_again');
alter table stagings add column open_rejects integer not null default 0;
update stagings set open_rejects = (select count(*) from rejects r where r.run_id = stagings.run_id
  and r.chunk = stagings.chunk and r.stage = stagings.stage and r.is_open = 1);
create index stagings_with_open_rejects on stagings (run_id) where open_rejects > 0;
create index rejects_of_code on rejects (code, run_id, is_open);
`;

/** Step 10: indexes for what pages show: the newest runs of a sync, and the rejects of a run by their codes. */
export const figures = `
create index runs_newest on runs (sync);
create index rejects_by_code on rejects (run_id, code);
`;

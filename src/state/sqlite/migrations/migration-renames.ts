/** Step 6: a staging and the oldest open transaction have the names that the code gives them. */
export const renames = `
alter table sends rename to stagings;
alter table runs rename column held to oldest_open;
alter table checkpoints rename column held to oldest_open;
`;

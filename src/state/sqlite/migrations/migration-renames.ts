/** Step 6: stagings and the oldest open transaction get the names that the code uses. */
export const renames = `
alter table sends rename to stagings;
alter table runs rename column held to oldest_open;
alter table checkpoints rename column held to oldest_open;
`;

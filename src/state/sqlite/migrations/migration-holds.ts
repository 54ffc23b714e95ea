/** Step 8: why the records of a staging are sent, and what a run is held for. */
export const holds = `
alter table stagings add column changes text;
alter table runs add column hold text;
`;

import { planting, type Mutant } from "../mutant.ts";

const plant = planting({
  file: "test/src/state/postgres/database.test.ts",
  title: "is tried a third time by few",
});

/** Mutants of how transactions of a store in Postgres wait for each other, and of what they are told to be set to. */
export const mutantsOfPostgresWaits: readonly Mutant[] = [
  plant({
    id: "S1060",
    plants: "transactions of the store that are tried again end each other until no try is left",
    file: "src/state/postgres/database.ts",
    find: "if (tried > 1) await waitForOthers",
    replace: "if (tried > 99) await waitForOthers",
  }),
];

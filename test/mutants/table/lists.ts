import { planting, type Mutant } from "../mutant.ts";

const ofAhead = planting({ file: "test/connectors/http/ahead.test.ts", title: "waits" });

/** Bugs in reading what changed in the list of an API, by the times of its rows. */
export const mutantsOfLists: readonly Mutant[] = [
  ofAhead({
    id: "S1950",
    plants: "a row of an API that is stamped later than now hides every later change for good",
    file: "connectors/paging/paginate.ts",
    find: "entries.filter(({ group }) => !isAhead(group))",
    replace: "entries.filter(({ group }) => group !== undefined)",
    title: "waits, and hides no later change (cursor, from)",
  }),
  ofAhead({
    id: "S1951",
    plants: "what a row stamped later than now has hidden is never read",
    file: "connectors/paging/paginate.ts",
    find: "isWhole ? from : notAhead(from, begin)",
    replace: "from",
    title: "hides nothing where a position holds it after a row of its time",
  }),
];

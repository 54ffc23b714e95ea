import type { Mutant } from "../mutant.ts";

const numbersTest = "test/activities/postgres/postgres-numbers.test.ts";
const readLimitTest = "test/connectors/postgres/read-limit.test.ts";

/** Mutants of backfills that end where a person says, which may be ahead of every row. */
export const mutantsOfNamedEnds: readonly Mutant[] = [
  {
    id: "S1673",
    plants:
      "a span up to a number above all is cut, and a row that changes is sent by two lanes at once",
    edits: [
      {
        file: "connectors/postgres/measure.ts",
        find: "if (await isToCome(session, source, request.to)) return [];",
        replace: "",
      },
    ],
    test: {
      file: numbersTest,
      title:
        "has one lane where the end is above every number, because a row that changes would come in two",
    },
  },
  {
    id: "S1674",
    plants:
      "a span up to a time ahead of the server's clock is cut, and a row that changes is sent by two lanes",
    edits: [
      {
        file: "connectors/postgres/measure.ts",
        find: "`select where $1::timestamptz > ${presentSql}`",
        replace: "`select where $1::timestamptz > 'infinity' or ${presentSql} is null`",
      },
    ],
    test: {
      file: readLimitTest,
      title:
        "cuts no span that ends ahead of the server's clock, because a row that changes would come in two",
    },
  },
];

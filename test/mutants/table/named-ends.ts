import type { Mutant } from "../mutant.ts";

const numbersTest = "test/activities/postgres/postgres-numbers.test.ts";
const positionTest = "test/connectors/postgres/position.test.ts";
const readLimitTest = "test/connectors/postgres/read-limit.test.ts";

/** Mutants of backfills with an end that a person gives, which may be later than every row. */
export const mutantsOfNamedEnds: readonly Mutant[] = [
  {
    id: "S1670",
    plants:
      "a backfill up to a number leaves the checkpoint there, and rows that come below it are lost",
    edits: [
      {
        file: "connectors/postgres/position.ts",
        find: "  if (aNumber.test(to.changed)) return undefined;\n",
        replace: "",
      },
    ],
    test: {
      file: numbersTest,
      title:
        "leaves the checkpoint at its last row, so that rows of lower numbers than its end still come",
    },
  },
  {
    id: "S1671",
    plants:
      "a backfill up to a time that a standby has not reached leaves the checkpoint ahead of late rows",
    edits: [
      {
        file: "connectors/postgres/position.ts",
        find: "isZoneGiven && !isNamed(to)",
        replace: "isZoneGiven",
      },
    ],
    test: {
      file: positionTest,
      title:
        "is the last row itself where a person named the end, which may be ahead of what a standby has",
    },
  },
  {
    id: "S1672",
    plants: "rows that the run after a backfill up to a time goes back over are sent once more",
    edits: [
      {
        file: "connectors/postgres/position.ts",
        find: "  if (to !== undefined && isNamed(to)) return true;\n",
        replace: "",
      },
    ],
    test: {
      file: positionTest,
      title:
        "has every row before an end that a person named, which may be far behind the last row",
    },
  },
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
  {
    id: "S1956",
    plants: "a checkpoint ahead of both clocks, which went back together, is read on from",
    edits: [
      {
        file: "connectors/postgres/position.ts",
        find: "return aheadMs(position, to) > knownMs + clocksPutBackMs + clockStepMs;",
        replace: "return knownMs < 0;",
      },
    ],
    test: {
      file: "test/connectors/postgres/position.test.ts",
      title:
        "has everything read again from a checkpoint too far ahead of it: of a clock that both share",
    },
  },
];

import type { Mutant } from "../mutant.ts";

const zonesTest = "test/activities/postgres/postgres-zones.test.ts";
const versionsTest = "test/activities/postgres/postgres-versions.test.ts";
const positionTest = "test/connectors/postgres/position.test.ts";
const unseenTest = "test/connectors/postgres/unseen.test.ts";
const readLimitTest = "test/connectors/postgres/read-limit.test.ts";

/** Mutants of change columns: their zones and clocks, and rows that are versions of one record. */
export const mutantsOfZones: readonly Mutant[] = [
  {
    id: "S80",
    plants:
      "a quiet night puts the checkpoint where the server's clock is, however far the rows are",
    edits: [
      {
        file: "connectors/postgres/position.ts",
        find: "return whole < end ? { ...to, changed: writeLike(from.changed, whole) } : to;",
        replace: "return to;",
      },
    ],
    test: {
      file: positionTest,
      title: "is never further after the newest row than the overlap",
    },
  },
  {
    id: "S81",
    plants: "a run reads a column without a zone as one of the server's, whatever is configured",
    edits: [
      {
        file: "connectors/postgres/source.ts",
        find: "name: config.time_zone ?? session.serverTimeZone,",
        replace: "name: session.serverTimeZone,",
      },
    ],
    test: {
      file: readLimitTest,
      title:
        "takes a time without a zone for one of the zone that is configured, whatever the server's is",
    },
  },
  {
    id: "S82",
    plants: "a backfill takes a moment for a time of the column's zone",
    edits: [
      {
        file: "connectors/postgres/sql/statement.ts",
        find: "return `(${value}::timestamptz at time zone $${values.length})::${column.type}`;",
        replace:
          "return `(${value}::timestamptz at time zone coalesce('UTC', $${values.length}))::${column.type}`;",
      },
    ],
    test: { file: zonesTest, title: "backfills a day of the zone, the server's" },
  },
  {
    id: "S83",
    plants: "a backfill moves the checkpoint to the end of its span, ahead of rows to come",
    edits: [
      {
        file: "activities/run/advance-checkpoint.ts",
        find: "const position = hasEnd ? await endOf(deps, { runId, lanes: spans.length }) : null;",
        replace: "const position = spans.at(-1)?.to ?? null;",
      },
    ],
    test: {
      file: zonesTest,
      title: "lets the nightly run continue where a backfill ended, and not hours behind it",
    },
  },
  {
    id: "S84",
    plants: "a run does not mind that the server's clock went back",
    edits: [
      {
        file: "connectors/postgres/position.ts",
        find: "return back > clockStepMs ? back : 0;",
        replace: "return back > clockStepMs ? 0 : 0;",
      },
    ],
    test: { file: positionTest, title: "has a run go back further where it went back by 3 h" },
  },
  {
    id: "S85",
    plants: "versions of one record are cut into lanes",
    edits: [
      {
        file: "src/backfill/span.ts",
        find: 'return to === undefined || (await repeatsOf(sync, source, signal)) !== "once";',
        replace: "return to === undefined;",
      },
    ],
    test: {
      file: versionsTest,
      title: "is backfilled in one lane, in order, so that the newest version wins",
    },
  },
  {
    id: "S86",
    plants: "a backfill of versions ends with an older one",
    edits: [
      {
        file: "activities/backfill/plan-backfill.ts",
        find: "  await assertEndsWithNewest(deps, { sync, source, request, present }, signal);\n",
        replace: "",
      },
    ],
    test: {
      file: versionsTest,
      title:
        "is not backfilled by a span that ends before the present, which would send old versions over newer ones",
    },
  },
  {
    id: "S87",
    plants: "a backfill that rested sends an older version over what a run sent meanwhile",
    edits: [
      {
        file: "src/state/rules/keys/judge.ts",
        find: "    if (isSentSince(set, input, knownSend)) return verdict.unchanged;\n",
        replace: "",
      },
    ],
    test: { file: versionsTest, title: "keeps what a nightly run sent while the backfill rested" },
  },
  {
    id: "S1600",
    plants:
      "an index by letters keeps a key unique in a column that does not tell its letters apart",
    edits: [
      {
        file: "connectors/postgres/source.ts",
        find: "and not ${isDeterministicSql} and c.oid <> i.indcollation[at]",
        replace: "and false",
      },
    ],
    test: {
      file: "test/connectors/postgres/source.test.ts",
      title: "refuses a key that its index alone tells apart",
    },
  },
  {
    id: "S1601",
    plants: "texts of a query that its collation takes for the same are passed over",
    edits: [
      {
        file: "connectors/postgres/read.ts",
        find: "writtenInOneWay.has(type) && !collations.has(name)",
        replace: "writtenInOneWay.has(type)",
      },
    ],
    test: {
      file: "test/connectors/postgres/read.test.ts",
      title: "tells texts apart as the collation of a view or query does",
    },
  },
  {
    id: "S1622",
    plants: "a moment is taken for a local time as it is written",
    edits: [
      {
        file: "connectors/postgres/sql/statement.ts",
        find: "if (column !== source.changed || ",
        replace: "if (column !== { ...source.changed } || ",
      },
    ],
    test: {
      file: "test/connectors/postgres/read.test.ts",
      title: "reads up to a moment in a column of local times",
    },
  },
  {
    id: "S1602",
    plants: "texts of a query are compared by the collation of the database",
    edits: [
      {
        file: "connectors/postgres/sql/statement.ts",
        find: "collation === undefined ? `k${at}::${type}`",
        replace: "collation !== null ? `k${at}::${type}`",
      },
    ],
    test: {
      file: "test/connectors/postgres/read.test.ts",
      title: "tells texts apart as the collation of a view or query does",
    },
  },
  {
    id: "S88",
    plants: "a query with a limit of its own is read block by block",
    edits: [
      {
        file: "connectors/postgres/own-limit.ts",
        find: 'if (node?.["Node Type"] !== "Limit") return;',
        replace: "if (plans.length > 0) return;",
      },
    ],
    test: {
      file: "test/connectors/postgres/source.test.ts",
      title: "refuses a query that is cut short by itself: select id from t limit 5",
    },
  },
  {
    id: "S1632",
    plants: "a change column that lost digits is read on after a checkpoint that has them",
    edits: [
      { file: "connectors/postgres/column-order.ts", find: "digits <= digitsNow", replace: "true" },
    ],
    test: {
      file: "test/activities/postgres/postgres-order.test.ts",
      title: "is refused where rows come in another order then: timestamptz(0)",
    },
  },
  {
    id: "S1633",
    plants: "a person may say that rows in another order are as they were",
    edits: [
      { file: "src/cli/status/rebind.ts", find: "  assertNotAnew(holder, found);\n", replace: "" },
    ],
    test: {
      file: "test/activities/postgres/postgres-order.test.ts",
      title: "is refused where rows come in another order then: date",
    },
  },
  {
    id: "S1731",
    plants: "an overlap reaches before the year 1, and the server knows no such time",
    edits: [
      {
        file: "connectors/postgres/position.ts",
        find: `  if (micros < firstMicros) return "-infinity";\n`,
        replace: "",
      },
    ],
    test: {
      file: readLimitTest,
      title: "goes back to the first date, 0001-01-01, where the overlap is longer",
    },
  },
  {
    id: "S1732",
    plants: "an overlap reaches below the least number of the change column",
    edits: [
      {
        file: "connectors/postgres/sql/statement.ts",
        find: "const texts = [notBelow(position.changed, changed), ...(position.key ?? [])];",
        replace: "const texts = [position.changed, ...(position.key ?? [])];",
      },
    ],
    test: {
      file: readLimitTest,
      title: "goes back to the first smallint, -32768, where the overlap is longer",
    },
  },
  {
    id: "S1733",
    plants:
      "a prepared transaction is taken to have begun by the overlap before, however short that is",
    edits: [
      {
        file: "connectors/postgres/read-limit.ts",
        find: "Math.max(overlapMs(overlap), beforePreparedMs)",
        replace: "Math.min(overlapMs(overlap), beforePreparedMs)",
      },
    ],
    test: {
      file: readLimitTest,
      title:
        "goes back to a transaction that was open for longer than the overlap when it was prepared",
    },
  },
  {
    id: "S1734",
    plants: "who does not say when a transaction began has none",
    edits: [
      {
        file: "connectors/postgres/read-limit.ts",
        find: "if (untracked === null) return undefined;",
        replace: "if (untracked === null || row !== undefined) return undefined;",
      },
    ],
    test: {
      file: unseenTest,
      title: "warns of a session that does not say when its transaction began",
    },
  },
  {
    id: "S1735",
    plants:
      "the transactions of a foreign table's server count as seen where a view stands before it",
    edits: [
      {
        file: "connectors/postgres/read-limit.ts",
        find: `includes('"Node Type": "Foreign Scan"')`,
        replace: `startsWith('"Node Type": "Foreign Scan"')`,
      },
    ],
    test: {
      file: unseenTest,
      title: "warns that a view of one does not show its transactions",
    },
  },
];

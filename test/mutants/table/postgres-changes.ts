import { planting, type Mutant } from "../mutant.ts";

const plant = planting({
  file: "test/activities/postgres/postgres-order.test.ts",
  title: "is refused between two chunks where it moved to another column of its type",
});

/** Mutants of changes that a DBA makes to a source, a written table, or a store. */
export const mutantsOfPostgresChanges: readonly Mutant[] = [
  plant({
    id: "S1810",
    plants: "rows are passed over where the primary key moves to another column during a run",
    file: "connectors/postgres/column-order.ts",
    find: "  if (was.length === 0) return undefined;\n",
    replace: "  if (was.length > 0) return undefined;\n",
  }),
  plant({
    id: "S1811",
    plants: "a sync stops where the column of its primary key is renamed",
    file: "connectors/postgres/column-order.ts",
    find: " || numbers === numbersNow",
    replace: "",
    title: "is read on where its column is renamed",
  }),
  plant({
    id: "S1812",
    plants: "a run waits half a day for a server on which its role may sort no more",
    file: "src/postgres/errors.ts",
    find: '  "53400": {',
    replace: '  "53499": {',
    test: "test/src/postgres/errors.test.ts",
    title: "does not wait where a role may sort no more",
  }),
  {
    id: "S1813",
    plants: "a store that a pooler lets nobody write to is looked at, and found well",
    edits: [
      {
        file: "src/state/postgres/look-at-store.ts",
        find: "await queries.transaction().execute(",
        replace: "await ((work) => work(queries))(",
      },
    ],
    test: {
      file: "test/src/state/postgres/pgbouncer.prove.ts",
      title:
        "a store says what to do behind PgBouncer in statement mode, which takes no transaction",
    },
    whyProve: "it needs PgBouncer",
  },
  plant({
    id: "S1814",
    plants: "rows of a table that was swapped for another are passed over without a word",
    file: "connectors/postgres/position.ts",
    find: "if (isOtherTable(position, to)) return undefined;",
    replace: "",
    test: "test/activities/postgres/postgres-sync.test.ts",
    title: "reads all of a table that another was swapped for, also in the midst of a run",
  }),
  plant({
    id: "S1815",
    plants: "rows of a table that is swapped during a run are never read",
    file: "connectors/postgres/read.ts",
    find: '"table" in to ? { table: to.table } : {};',
    replace: '"table" in to ? { table: source.oid } : {};',
    test: "test/activities/postgres/postgres-sync.test.ts",
    title: "reads all of a table that another was swapped for, also in the midst of a run",
  }),
  plant({
    id: "S1816",
    plants: "a value that rows of another table point to is said to point to none",
    file: "connectors/postgres/write.ts",
    find: "refusalOf(error, to.table.name.table)",
    replace: "refusalOf(error)",
    test: "test/connectors/postgres/write-tables.test.ts",
    title: "names the table whose rows point to the value that would be replaced",
  }),
  plant({
    id: "S1817",
    plants: "a row that no partition takes is said to break a rule without a name",
    file: "connectors/postgres/sql/write-refusal.ts",
    find: 'error.routine === "ExecFindPartition"',
    replace: 'error.routine === ""',
    test: "test/connectors/postgres/write-tables.test.ts",
    title: "says that no partition takes a row",
  }),
  {
    id: "S1943",
    plants: "after a table was swapped a report says in general words what it says exactly",
    edits: [
      {
        file: "connectors/run-range.ts",
        find: "readLimit?.whyOther ?? otherReading",
        replace: "otherReading",
      },
    ],
    test: {
      file: "test/activities/postgres/postgres-sync.test.ts",
      title: "reads all of a table that another was swapped for, also in the midst of a run",
    },
  },
  plant({
    id: "S1900",
    plants: "a row for which a trigger finds several values keeps its page from being written",
    file: "connectors/postgres/sql/write-refusal.ts",
    find: 'case "21000":',
    replace: 'case "21???":',
    test: "test/connectors/postgres/write-tables.test.ts",
    title: "writes one after the other what a trigger gives the same key",
  }),
  plant({
    id: "S1901",
    plants: "who writes too slowly is told to index what is read",
    file: "connectors/postgres/client.ts",
    find: "isWrite: request.isWritable",
    replace: "isWrite: false",
    test: "test/src/postgres/errors.test.ts",
    title: "says what to do of a statement that took too long, where it reads and where it writes",
  }),
  plant({
    id: "S2183",
    plants: "rows are passed over whose key is a citext that the search path does not find",
    file: "connectors/postgres/source.ts",
    find: "  await assertCompared(session, key);\n",
    replace: "  void assertCompared;\n",
    test: "test/connectors/postgres/sql/operators.test.ts",
    title: "is refused in a table, and read once the hint is followed",
  }),
  plant({
    id: "S2184",
    plants: "a row of a long transaction is passed over where the clock that stamped it is slow",
    file: "connectors/postgres/position.ts",
    find: "{ ms: halfMs }",
    replace: "{ ms: halfMs > 0 ? 0 : halfMs }",
    test: "test/connectors/postgres/read-limit.test.ts",
    title: "goes back behind the start of such a transaction, for stamps of a clock that is slow",
  }),
  plant({
    id: "S2185",
    plants: "a column that is not null only for rows to come counts as never null",
    file: "connectors/postgres/sql/never-null.ts",
    find: "and not n.convalidated",
    replace: "and n.convalidated is null",
    test: "test/connectors/postgres/sql/never-null.test.ts",
    title: "is refused in the order of rows, and proposed for none, until the rest was looked at",
  }),
];

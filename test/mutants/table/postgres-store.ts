import { planting, type Mutant } from "../mutant.ts";

const database = "src/state/postgres/database.ts";
const keeping = "src/inbox/postgres/keeping.ts";
const plant = planting({
  file: "test/src/state/postgres/database.test.ts",
  title: "is as if it were alone",
});

/** Mutants of the state store in Postgres. */
export const mutantsOfPostgresStore: readonly Mutant[] = [
  plant({
    id: "S840",
    plants: "two transactions of the store read what neither has written yet",
    file: database,
    find: 'write: writer("serializable")',
    replace: "write: lockAndWrite",
  }),
  plant({
    id: "S841",
    plants: "a transaction of which nobody knows whether it was committed is done again",
    file: database,
    find: "!conflicts.has(sqlStateOf(error))",
    replace: "tried > 3",
    title: "is done again for nothing else",
  }),
  plant({
    id: "S842",
    plants: "a commit of the store waits for no disk where the role is set so",
    file: "src/state/postgres/version.ts",
    find: '  synchronous_commit: "on",\n',
    replace: "",
    title: "survives a power cut",
  }),
  plant({
    id: "S1705",
    plants: "an event without an id has the id NULL where the database is set so",
    file: "src/state/postgres/version.ts",
    find: '  array_nulls: "on",\n',
    replace: "",
    title: "keeps null within a list",
  }),
  plant({
    id: "S843",
    plants: "a worker writes into a store of a newer schema",
    file: "src/state/postgres/version.ts",
    find: "if (version !== storeSteps.length)",
    replace: "if (version < storeSteps.length)",
    title: "of a newer sluice is left alone",
  }),
  plant({
    id: "S844",
    plants: "a table of the store is found by the search path of the session",
    file: "src/state/store/qualified-tables.ts",
    find: "return TableNode.createWithSchema(this.#schema, identifier.name);",
    replace: "return super.transformTable(node, queryId);",
    title: "asks for no session settings",
  }),
  {
    id: "S845",
    plants:
      "sequence numbers of the inbox are drawn without a lock, so that the later one may be committed first",
    edits: [
      {
        file: keeping,
        find: '    .orderBy("name")\n    .forUpdate();',
        replace: '    .orderBy("name");',
      },
      {
        file: keeping,
        find: "last: lastSeq, hasWakeUp",
        replace:
          "last: Math.max(lastSeq, Reflect.set(globalThis, 'drawn', (Reflect.get(globalThis, 'drawn') ?? 0) + 1e3) " +
          "? Reflect.get(globalThis, 'drawn') : 0), hasWakeUp",
      },
    ],
    test: {
      file: "test/src/inbox/postgres/receivers.test.ts",
      title: "misses no event of several receivers",
    },
  },
  {
    id: "S920",
    plants: "a caller gets the answer that comes first, whosever it is",
    edits: [
      {
        file: "src/thread.ts",
        find: "    const call = waiting.get(number);\n    waiting.delete(number);",
        replace:
          "    const [first = number] = waiting.keys();\n    const call = waiting.get(first);\n" +
          "    waiting.delete(first);",
      },
    ],
    test: {
      file: "test/src/thread.test.ts",
      title: "give each caller its own answer, whichever comes first",
    },
  },
  {
    id: "S921",
    plants: "an older reject of a row is open beside a newer one",
    edits: [
      {
        file: "src/state/store/rejects/close-rejects.ts",
        find: "!known.has(key ?? place)",
        replace: "[key, place, known].length > 0",
      },
    ],
    test: {
      file: "test/src/state/open-rejects.test.ts",
      title: "are not those of rows that were rejected again, that came since, or that are gone",
    },
  },
  {
    id: "S922",
    plants: "a store that is closed leaves calls that were made before without an answer",
    edits: [
      {
        file: "src/state/store-thread.ts",
        find: "left = nextOn(port)) take(port, left);",
        replace: "left = undefined) void take;",
      },
    ],
    test: {
      file: "test/src/state/postgres/open.test.ts",
      title: "finishes what is under way when it is closed",
    },
  },
  {
    id: "S923",
    plants: "a store in Postgres begins anew beside a folder that holds runs",
    edits: [
      {
        file: "src/state/open.ts",
        find: "  refuseOlderRuns(stateFolder);\n",
        replace: "  void refuseOlderRuns;\n",
      },
    ],
    test: {
      file: "test/src/state/open.test.ts",
      title: "does not begin anew beside a folder that holds runs",
    },
  },
  {
    id: "S924",
    plants: "the state crosses to another host without encryption",
    edits: [
      {
        file: "src/config/schema/store.ts",
        find: "|| isOpen(url)",
        replace: "|| isOpen.length > 1",
      },
    ],
    test: {
      file: "test/src/config/store.test.ts",
      title: "to another host takes no sslmode=disable",
    },
  },
  {
    id: "S1540",
    plants: "a record that is refused while its key is written is known as sent",
    edits: [
      {
        file: "src/state/store/sends/prepare-commit.ts",
        find: "      await holdStaged(queries, name);\n",
        replace: "",
      },
      {
        file: "src/state/store/sends/prepare-commit.ts",
        find: 'import { holdStaged } from "./stagings.ts";\n',
        replace: "",
      },
    ],
    test: {
      file: "test/src/state/postgres/merging.test.ts",
      title: "a record that is refused while its key is written is unknown",
    },
  },
  {
    id: "S2078",
    plants: "the database's time is behind by as long as the host slept, until it is asked again",
    edits: [
      {
        file: "src/state/postgres/followed-clock.ts",
        find: "asleep - asleepThen > sleepMsMin ? asleep - asleepThen : 0",
        replace: "asleep - asleepThen > Infinity ? asleep - asleepThen : 0",
      },
    ],
    test: {
      file: "test/src/state/postgres/followed-clock.test.ts",
      title: "counts the time that the machine sleeps, and asks once more at once",
    },
  },
];

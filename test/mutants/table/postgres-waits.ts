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
  plant({
    id: "S1550",
    plants:
      "a refusal ends as a fault of the store where the keys of many records are written meanwhile",
    file: "src/state/postgres/database.ts",
    find: "if (index > 0) await letOthersGo",
    replace: "if (false) await letOthersGo",
    test: "test/src/state/postgres/merging.test.ts",
    title: "goes before the keys of it that are still to be written",
  }),
  plant({
    id: "S1061",
    plants: "a host that is cut off in mid transaction keeps its locks for hours",
    file: "src/state/postgres/version.ts",
    find: "  idle_in_transaction_session_timeout: `${silentMsMax}ms`,\n",
    replace: "",
    title: "is ended where its host is silent",
  }),
  plant({
    id: "S1062",
    plants: "who waits for a connection of the pool is told that the server cannot be reached",
    file: "src/state/postgres/database.ts",
    find: "    max: connectionsMax,",
    replace: "    max: connectionsMax,\n    ...address,",
    title: "waits for a connection as long as others have them all",
  }),
  plant({
    id: "S1063",
    plants: "stagings that wait for a set have every connection of their process",
    file: "src/state/postgres/keys/set-lock.ts",
    find: "  await before;\n",
    replace: "  void before;\n",
    test: "test/src/state/keys/at-once.test.ts",
    title: "keep nobody else of their process waiting",
  }),
  plant({
    id: "S1064",
    plants: "a store is made in a database that cannot hold every key",
    file: "src/state/postgres/migrate.ts",
    find: '  if (encoding === "UTF8") return;\n',
    replace: '  if (encoding !== "") return;\n',
    title: "is not made in a database that cannot hold every text",
  }),
  plant({
    id: "S1065",
    plants: "a key that is longer than an entry of an index stops its part for ever",
    file: "src/state/postgres/keys/tables-by-key.ts",
    find: '  const key = ["hashtextextended(key, 0)", "hashtextextended(key, 1)"];',
    replace: '  const key = ["hashtextextended(key, 0)", "hashtextextended(key, 1)", "key"];',
    title: "may be longer than an entry of an index",
  }),
  plant({
    id: "S1066",
    plants: "a request of which the store lost the number is open while its process lives",
    file: "src/state/store/doubts/requests.ts",
    find: "  for (const earlier of before) await endUnknown(queries, earlier.request, now);\n",
    replace: "  void before;\n",
    test: "test/activities/doubt/unnoted-end.test.ts",
    title: "noted the beginning and lost the answer",
  }),
  plant({
    id: "S1785",
    plants: "tables of others in the schema of the store are told as a server that is away",
    file: "src/state/postgres/migrate.ts",
    find: "throw othersTablesError(error, server) ?? asStoreError(error, server);",
    replace: "throw asStoreError(othersTablesError.length > 9 ? undefined : error, server);",
    test: "test/src/state/postgres/database.test.ts",
    title: "is of its own where somebody else has a table",
  }),
];

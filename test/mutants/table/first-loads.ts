import { planting, type Mutant } from "../mutant.ts";

const drawn = planting({
  file: "test/src/state/store/drawn-keys.test.ts",
  title: "are known to it also where another process took some of them in",
});

const nextRun = planting({
  file: "test/src/state/store/drawn-keys.test.ts",
  title: "are known to it in its next run",
});

const failed = planting({
  file: "test/src/state/store/drawn-keys.test.ts",
  title: "are known to it also where a transaction of its own failed before",
});

const filter = planting({
  file: "test/src/state/rules/drawn-keys.test.ts",
  title: "has every key that was added, through several layers, and takes few others for one",
});

const order = planting({
  file: "test/src/pipeline/changed.test.ts",
  title: "asks for the fields of some pages before the keys of the next",
});

const ahead = planting({
  file: "test/connectors/postgres/read.test.ts",
  title: "reads the next block while somebody works on one, unless it was slow or is not wanted",
});

const exactlyOnce = planting({
  file: "test/connectors/postgres/read.test.ts",
  title:
    "is told that the server is gone, and later continues from the last page with every row once",
});

const memory = planting({
  file: "test/connectors/postgres/page-memory.test.ts",
  title: "keeps the rows of a block until all of its pages were given back",
});

const synced = planting({
  file: "test/src/state/store/synced.test.ts",
  title: "syncs what it writes, but what needs not be, and after that as before",
});

const givesWay = planting({
  file: "test/src/state/store/commits-give-way.test.ts",
  title: "lets other calls go on between its transactions",
});

const inTurn = planting({
  file: "test/src/state/sqlite/turns.test.ts",
  title: "begins no call inside a step of another, also where one gives way and all came at once",
});

const manyKeys = planting({
  file: "test/src/state/store/many-keys.test.ts",
  title: "knows keys of a set that has more than are held in memory",
});

const ageBlocksTest = "test/src/state/sqlite/age-blocks.test.ts";

const inFewBytes = planting({
  file: ageBlocksTest,
  title: "holds rows that came in the order of their ids in 12 bytes",
});

const inTwoRuns = planting({
  file: ageBlocksTest,
  title: "holds rows of two stagings in 24 bytes",
});

const shortened = planting({
  file: ageBlocksTest,
  title: "shortens the blocks of an older store, and leaves their ages as they are",
});

const drawnKeys = "src/state/rules/keys/drawn-keys.ts";
const readPostgres = "connectors/postgres/read.ts";

/** First loads: keys that are not looked up, and concurrent work. */
export const mutantsOfFirstLoads: readonly Mutant[] = [
  drawn({
    id: "S1510",
    plants: "a key that another process took in is not looked up",
    file: drawnKeys,
    find: "if (found?.nextId !== nextId) return undefined;",
    replace: "if (found === undefined) return undefined;",
  }),
  failed({
    id: "S1511",
    plants:
      "keys of a transaction that failed hide those that another process was given their ids for",
    file: "src/state/sqlite/keys/stage-keys.ts",
    find: "      drawnKeys.forget();\n",
    replace: "",
  }),
  nextRun({
    id: "S1512",
    plants: "the first keys of a set are not among those that it was given ids for",
    file: "src/state/sqlite/keys/stage-keys.ts",
    find: "isRoom &&= drawn?.add(words, index) === true;",
    replace: "isRoom &&= drawn !== undefined;",
  }),
  filter({
    id: "S1513",
    plants: "only the newest layer of a filter is asked",
    file: drawnKeys,
    find: "return this.#layers.some(isIn);",
    replace: "return this.#layers.slice(0, 1).some(isIn);",
  }),
  order({
    id: "S1514",
    plants: "fields wait for the keys of the next pages",
    file: "src/pipeline/changed.ts",
    find: "const ask = askingFor(gathered);",
    replace: "const asked = askingFor(gathered)();\n    const ask = (): Judging => asked;",
  }),
  ahead({
    id: "S1515",
    plants: "a slow server is asked for the next block before somebody wants it",
    file: readPostgres,
    find: "if (ms > aheadMsMax || rows.length > aheadBytesMax) return;",
    replace: "if (rows.length > aheadBytesMax) return;",
  }),
  exactlyOnce({
    id: "S1516",
    plants: "the block that is read ahead begins with the last row of the one before",
    file: readPostgres,
    find: "positionOf(source, valuesOf(rows, count - 1), request.to), left)",
    replace: "positionOf(source, valuesOf(rows, count - 2), request.to), left)",
  }),
  memory({
    id: "S1518",
    plants: "the memory of a block is used again once one of its pages was given back",
    file: readPostgres,
    find: "if (pagesLeft === 0) rows.release();",
    replace: "rows.release();",
  }),
  synced({
    id: "S1519",
    plants: "after keys were staged a checkpoint does not survive a power cut",
    file: "src/state/sqlite/transactions.ts",
    find: 'const synced = "pragma synchronous = full;',
    replace: 'const synced = "pragma synchronous = normal;',
  }),
  planting({
    file: "test/src/state/store/synced.test.ts",
    title:
      "writes no page that a statement changes into a file of its own, where many keys are written",
  })({
    id: "S1660",
    plants: "each page of keys is written once more, to a file of its own, before it is changed",
    file: "src/state/sqlite/transactions.ts",
    find: "pragma temp_store = memory; ",
    replace: "",
  }),
  planting({
    file: "test/src/state/store/synced.test.ts",
    title: "syncs what it writes where a transaction that needs no sync could not begin",
  })({
    id: "S1680",
    plants:
      "once a transaction that needs no sync could not begin, no checkpoint survives a power cut",
    file: "src/state/sqlite/transactions.ts",
    find: "pragma temp_store = memory; pragma synchronous = normal",
    replace: "pragma synchronous = normal; pragma temp_store = memory",
  }),
  inFewBytes({
    id: "S1662",
    plants: "rows that follow each other are as old as the first of them",
    file: "src/state/sqlite/keys/age-blocks.ts",
    find: "ages[first + on] = age + on;",
    replace: "ages[first + on] = age;",
  }),
  inTwoRuns({
    id: "S1663",
    plants: "rows of a later staging are as old as if they were in the one before",
    file: "src/state/sqlite/keys/age-blocks.ts",
    find: "while (ages[first + length] === age + length) length += 1;",
    replace: "while ((ages[first + length] ?? 0) > age) length += 1;",
  }),
  shortened({
    id: "S1664",
    plants: "ages of an older store stay as long as they were",
    file: "src/state/sqlite/migrations/migration-age-runs.ts",
    find: "ages: bytesOfAges(ages) });",
    replace: "ages: new Uint8Array(ages.buffer) });",
  }),
  planting({
    file: ageBlocksTest,
    title: "lets no older process that slept meanwhile take the blocks for its own",
  })({
    id: "S1681",
    plants: "an older process that slept while the store was migrated reads wrong ages",
    file: "src/state/sqlite/migrations/migration-age-runs.ts",
    find: "rename column ages to age_runs",
    replace: "add column age_runs",
  }),
  planting({
    file: "test/src/state/database.test.ts",
    title: "has a process write no more that was not heard of while a newer one migrated its store",
  })({
    id: "S1682",
    plants: "an older process writes on in a store that was migrated meanwhile",
    file: "src/state/sqlite/database.ts",
    find: "      refuseMigrated();\n",
    replace: "",
  }),
  givesWay({
    id: "S1517",
    plants: "a commit keeps all other calls waiting",
    file: "src/state/sqlite/database.ts",
    find: "          await turns.giveWay();\n",
    replace: "",
  }),
  inTurn({
    id: "S1520",
    plants: "a commit that gave way goes on inside the transaction of another call",
    file: "src/state/sqlite/turns.ts",
    find: "    await this.take();\n",
    replace: "",
  }),
  manyKeys({
    id: "S1521",
    plants: "keys for which there was no room in memory are taken for new ones",
    file: "src/state/sqlite/keys/stage-keys.ts",
    find: "    if (isRoom) tools.drawnKeys.drew(setId, nextId);",
    replace: "    tools.drawnKeys.drew(setId, nextId);",
  }),
];

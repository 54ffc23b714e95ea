import { planting, type Mutant } from "../mutant.ts";

const sqliteMerging = "src/state/sqlite/keys/staged/merge-keys.ts";
const postgresMerging = "src/state/postgres/keys/merging.ts";
const keeping = {
  sqlite: "src/state/sqlite/keys/key-keeping.ts",
  postgres: "src/state/postgres/keys/key-keeping.ts",
} as const;
const stagedKeys = {
  sqlite: "src/state/sqlite/keys/staged/staged-keys.ts",
  postgres: "src/state/postgres/keys/staged-keys.ts",
} as const;

const lanes = { file: "test/src/state/store/three-lanes.test.ts" };
const refused = planting({ ...lanes, title: "the second of another lane" });
const cut = planting({ ...lanes, title: "the third is cut" });
const counts = planting({ ...lanes, title: "and counts after that, prepared" });
const ofOneChunk = planting({ ...lanes, title: "both of one chunk" });
const fields = planting({
  ...lanes,
  title: "has the fields of its record where the first lane was refused another",
});
const writtenOnceMore = {
  file: "test/src/state/keys/staged-keys.test.ts",
  title: "and the keys of the first are written once more",
};

/** Mutants of a key that several stagings of a run send. */
export const mutantsOfSentTwice: readonly Mutant[] = [
  {
    id: "S1551",
    plants: "a key that two lanes sent is known by the one whose keys are written once more",
    edits: [
      {
        file: sqliteMerging,
        find: "and f.send <> $send and",
        replace: "and abs(f.send) <> $send and",
      },
      { file: sqliteMerging, find: "-max(abs(f.send), $send)", replace: "-$send" },
    ],
    test: writtenOnceMore,
  },
  {
    id: "S1552",
    plants: "on Postgres it is known by that one, too",
    edits: [
      {
        file: postgresMerging,
        find: "and f.send <> ${send} and",
        replace: "and abs(f.send) <> ${send} and",
      },
      {
        file: postgresMerging,
        find: "-greatest(abs(f.send), ${send})",
        replace: "-cast(${send} as bigint)",
      },
    ],
    test: writtenOnceMore,
  },
  refused({
    id: "S1553",
    plants: "that two lanes sent a key is forgotten where the first record is refused",
    file: keeping.sqlite,
    find: '${sendAfterSql("0")}',
    replace: "0",
  }),
  refused({
    id: "S1554",
    plants: "on Postgres that is forgotten, too",
    file: postgresMerging,
    find: "${sendAfter(send, sql`0`)}",
    replace: "0",
  }),
  cut({
    id: "S1555",
    plants: "a key that two lanes sent is known by one where a third is cut",
    file: keeping.sqlite,
    find: "where f.send = $send",
    replace: "where abs(f.send) = $send",
  }),
  cut({
    id: "S1556",
    plants: "on Postgres that is known by one, too",
    file: keeping.postgres,
    find: "and f.send = ${send}",
    replace: "and abs(f.send) = ${send}",
  }),
  counts({
    id: "S1557",
    plants: "a refused record makes that of another lane unknown once its chunk counts",
    file: sqliteMerging,
    find: "where $times <> ${sent.refused}",
    replace: "where true",
  }),
  counts({
    id: "S1558",
    plants: "on Postgres it does so, too",
    file: postgresMerging,
    find: "where excluded.send <> 0",
    replace: "where true",
  }),
  fields({
    id: "S1571",
    plants: "a key that is known has the fields of a record that another lane was refused",
    file: sqliteMerging,
    find: "order.filter((index) => times[index] !== sent.refused)",
    replace: "order",
  }),
  fields({
    id: "S1572",
    plants: "on Postgres it has those, too",
    file: postgresMerging,
    find: " and m.times <> ${sent.refused}",
    replace: " and m.times <= ${sent.once}",
  }),
  ofOneChunk({
    id: "S1573",
    plants: "that a chunk has a key twice is forgotten where a record of it is refused",
    file: stagedKeys.sqlite,
    find: " || own.sendAt(entry) === sent.twice",
    replace: "",
  }),
  ofOneChunk({
    id: "S1574",
    plants: "on Postgres that is forgotten, too",
    file: stagedKeys.postgres,
    find: "and staged.times <> ${sent.twice} ",
    replace: "",
  }),
  {
    id: "S1621",
    plants: "fields of a key that was sent twice are said to be what the service held",
    edits: [
      {
        file: "src/state/rules/keys/judge.ts",
        find: "const wasTaken = (isOurs ? Math.abs(knownSend) : knownSend) > set.validAfter;",
        replace: "const wasTaken = Math.abs(knownSend) > set.validAfter;",
      },
    ],
    test: { ...lanes, title: "is of no known fields any more" },
  },
];

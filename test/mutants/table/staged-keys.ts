import type { Mutant } from "../mutant.ts";

const mergeKeys = "src/state/sqlite/keys/staged/merge-keys.ts";
const stagedKeysTest = "test/src/state/keys/staged-keys.test.ts";
const verdictsTest = "test/src/state/keys/verdicts.test.ts";
const asItWas = "leaves what is known as it was";

/** Mutants of what stagings will make known, until they are committed or abandoned. */
export const mutantsOfStagedKeys: readonly Mutant[] = [
  {
    id: "S790",
    plants: "keys become unknown of which nothing left",
    edits: [
      {
        file: mergeKeys,
        find: "s.send is null or ${hasLeftSql} as hasLeft",
        replace: "s.send is null or 1 as hasLeft",
      },
    ],
    test: { file: stagedKeysTest, title: asItWas },
  },
  {
    id: "S791",
    plants: "what may have been taken is forgotten as if nothing had left",
    edits: [
      {
        file: mergeKeys,
        find: "s.send is null or ${hasLeftSql} as hasLeft",
        replace: "s.send is null as hasLeft",
      },
    ],
    test: { file: stagedKeysTest, title: "makes its keys unknown when it is given up once a part" },
  },
  {
    id: "S792",
    plants: "the keys of a chunk are not written before its send counts",
    edits: [
      {
        file: "src/state/store/sends/commit.ts",
        find: "if ((await readyOf(queries, name)) !== undefined) await write(queries);",
        replace: "if ((await readyOf(queries, name)) === undefined) await write(queries);",
      },
    ],
    test: { file: stagedKeysTest, title: "survives the end of its process" },
  },
  {
    id: "S793",
    plants: "an older fingerprint counts while a newer record is on its way",
    edits: [
      {
        file: "src/state/sqlite/keys/stage-keys.ts",
        find: "  if (index.size === 0) return;\n",
        replace: "  if (index.size >= 0) return;\n",
      },
    ],
    test: { file: verdictsTest, title: "every verdict is that of the rules" },
  },
  {
    id: "S794",
    plants: "a record that the service refused is known with its chunk",
    edits: [
      {
        file: "src/state/sqlite/keys/staged/staged-keys.ts",
        find: "own.idAt(entry), sent.refused)",
        replace: "own.idAt(entry), sent.once)",
      },
    ],
    test: { file: stagedKeysTest, title: "says nothing of a record that the service refused" },
  },
  {
    id: "S795",
    plants: "of a key that a staging has several times the first counts",
    edits: [
      {
        file: mergeKeys,
        find: "for (let index = 0; index < ids.length; index += 1) {\n    last.set",
        replace: "for (let index = ids.length - 1; index >= 0; index -= 1) {\n    last.set",
      },
    ],
    test: { file: verdictsTest, title: "every verdict is that of the rules" },
  },
  {
    id: "S1300",
    plants: "of the id of a fingerprint only the last digit is written with its key",
    edits: [{ file: mergeKeys, find: "rest = Math.floor(rest / 10)", replace: "rest = 0" }],
    test: {
      file: "test/src/state/store/many-keys.test.ts",
      title: "knows the fields of each of many keys: sqlite",
    },
  },
  {
    id: "S796",
    plants: "a key that two lanes sent is known by the one that is accepted last",
    edits: [{ file: mergeKeys, find: "iif(abs(f.send) >= $since and", replace: "iif(0 and" }],
    test: { file: stagedKeysTest, title: "is unknown where two lanes sent it" },
  },
  {
    id: "S797",
    plants: "what was read of a staging counts after it was given up",
    edits: [
      {
        file: "src/state/sqlite/keys/staged/staged-keys.ts",
        find: "if (found?.numbers.every((number, at) => listed[at]?.number === number) !== true) {",
        replace: "if (found === undefined) {",
      },
    ],
    test: { file: stagedKeysTest, title: asItWas },
  },
  {
    id: "S798",
    plants: "the fields of a record are written before its commit",
    edits: [
      {
        file: "src/state/sqlite/keys/field-keeper.ts",
        find: "select $before - value, ${ofRecord}",
        replace: "select $before + abs(value), ${ofRecord}",
      },
      {
        file: "src/state/sqlite/keys/field-keeper.ts",
        find: "from json_each($ids) where value < 0`",
        replace: "from json_each($ids) where value <> 0`",
      },
    ],
    test: { file: stagedKeysTest, title: asItWas },
  },
  {
    id: "S799",
    plants:
      "what a staging that was restaged left of itself makes its keys unknown in the next one",
    edits: [{ file: mergeKeys, find: " and other.state <> 'dropped'", replace: "" }],
    test: { file: stagedKeysTest, title: "is known by the staging that follows one that left" },
  },
  {
    id: "S900",
    plants:
      "a key that two lanes sent is known by the one that stays, where the other left and is given up",
    edits: [{ file: mergeKeys, find: "(f.send < 0 or exists (", replace: "(0 or exists (" }],
    test: {
      file: stagedKeysTest,
      title: "where one of two lanes that sent it left and is given up",
    },
  },
  {
    id: "S901",
    plants: "on Postgres it is known by the one that stays, too",
    edits: [
      {
        file: "src/state/postgres/keys/merging.ts",
        find: "(f.send < 0 or not exists (",
        replace: "(false or not exists (",
      },
    ],
    test: {
      file: stagedKeysTest,
      title: "where one of two lanes that sent it left and is given up",
    },
  },
  {
    id: "S800",
    plants: "keys are told apart by their tags alone while they are staged",
    edits: [
      {
        file: "src/state/rules/keys/staged-index.ts",
        find: "this.#words[at + 3] === tags[index * 2 + 1] &&",
        replace: "",
      },
      {
        file: "src/state/rules/keys/staged-index.ts",
        find:
          "this.#words[at] === numbers[index * 2] &&\n" +
          "          this.#words[at + 1] === numbers[index * 2 + 1]);",
        replace: "true);",
      },
    ],
    test: {
      file: "test/src/state/keys/staged-index.test.ts",
      title: "tells keys apart by every word",
    },
  },
  {
    id: "S801",
    plants:
      "the block of a chunk is given up before its send counts, and its older fingerprints stand",
    edits: [
      {
        file: mergeKeys,
        find: "const from = step * keysPerTransactionMax;",
        replace:
          "const from = step * keysPerTransactionMax;\n      if (from === 0) forgetAll.run(of);",
      },
    ],
    test: { file: stagedKeysTest, title: "is known once all of it is, where a commit is killed" },
  },
  {
    id: "S1661",
    plants: "of each thousand keys that are committed one is not known",
    edits: [
      {
        file: mergeKeys,
        find: "those.slice(from, from + keysPerStatementMax)",
        replace: "those.slice(from, from + keysPerStatementMax - 1)",
      },
    ],
    test: { file: stagedKeysTest, title: "is known once all of it is, where a commit is killed" },
  },
  {
    id: "S880",
    plants: "a field that a row lost to one of its key that was judged with it is not told of",
    edits: [
      {
        file: "src/state/sqlite/keys/field-keeper.ts",
        find: "together.set(Math.abs(id), now);",
        replace: "",
      },
    ],
    test: {
      file: "test/src/state/keys/known-records.test.ts",
      title: "tells of a field that, of rows of one key, the row before had",
    },
  },
  {
    id: "S2026",
    plants:
      "a third row of a key that is given up unsent leaves its fields to the record of before",
    edits: [
      {
        file: "src/state/rules/keys/judge.ts",
        find: "const wasTaken = (isOurs ? Math.abs(knownSend) : knownSend)",
        replace: "const wasTaken = knownSend",
      },
    ],
    test: { file: stagedKeysTest, title: "leaves the fields of a key as they were" },
  },
];

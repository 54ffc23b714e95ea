import type { Mutant } from "../mutant.ts";

const erase = "src/state/store/keys/erase-key.ts";
const eraseTest = "test/src/state/keys/erase-key.test.ts";
const forgetTest = "test/src/cli/forget/forget.test.ts";
const erased = { file: eraseTest, title: "is erased wherever it is, and nothing else" };

/** Mutants of erasing or forgetting a key. */
export const mutantsOfErased: readonly Mutant[] = [
  {
    id: "S1128",
    plants: "a key is erased while a run of its sync is open",
    edits: [
      {
        file: erase,
        find: "        await assertNoOpenRun(queries, of);\n",
        replace: "",
      },
    ],
    test: {
      file: eraseTest,
      title: "stays while a run of its sync is open, and is not forgotten either",
    },
  },
  {
    id: "S1852",
    plants: "a key is erased while a request with it may still be applied over a newer record",
    edits: [
      {
        file: erase,
        find: "        await assertNoneMayLand(queries, sentKeys, { of, now });\n",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/doubt/forgotten.test.ts",
      title: "a key is erased only when no request with it may be applied any more",
    },
  },
  {
    id: "S1853",
    plants: "what stands in the place of an erased key is told of as a key that came no more",
    edits: [
      {
        file: "src/state/store/doubts/settling.ts",
        find: "    keys.delete(forgottenKey);\n",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/doubt/forgotten.test.ts",
      title: "a key that was erased is no stray one, and what stands in its place is none",
    },
  },
  {
    id: "S1129",
    plants: "rejects without a key keep the row of the person",
    edits: [
      {
        file: erase,
        find: 'if (own === key || textMentions(sourceRow ?? "", key)) return true;',
        replace: "if (own === key) return true;",
      },
    ],
    test: erased,
  },
  {
    id: "S1130",
    plants: "lists of keys that were sent keep the key",
    edits: [
      {
        file: erase,
        find: "await sentKeys.replace(queries, { send, key, by: forgottenKey });",
        replace: "await sentKeys.replace(queries, { send, key, by: key });",
      },
    ],
    test: erased,
  },
  {
    id: "S1131",
    plants: "kept pages keep the results of the person",
    edits: [
      {
        file: erase,
        find: ".set({ page: JSON.stringify({ ...kept, items }) })",
        replace: ".set({ page: JSON.stringify({ items, ...kept }) })",
      },
    ],
    test: erased,
  },
  {
    id: "S1132",
    plants: "fingerprints in Postgres stay, of SQLite alone they go",
    edits: [
      {
        file: "src/state/postgres/keys/key-keeping.ts",
        find: "delete from ${fingerprints} f using ${keyRelation(hashed)} k",
        replace:
          "delete from ${fingerprints} f using (select * from ${keyRelation(hashed)} a limit 0) k",
      },
    ],
    test: erased,
  },
  {
    id: "S1133",
    plants: "the log of a SQLite store keeps what was erased",
    edits: [
      {
        file: "src/state/sqlite/database.ts",
        find: 'return Number(db.prepare("pragma wal_checkpoint(truncate)").get()?.["busy"]) === 0;',
        replace:
          'return Number(db.prepare("pragma wal_checkpoint(passive)").get()?.["busy"]) === 0;',
      },
    ],
    test: { file: eraseTest, title: "is in no byte of a SQLite store once it was shredded" },
  },
  {
    id: "S1134",
    plants: "staged files keep the lines of the person",
    edits: [
      {
        file: "src/cli/forget/staged-files.ts",
        find: "await rm(file, { force: true });",
        replace: "",
      },
    ],
    test: {
      file: forgetTest,
      title: "leaves nothing of a key in any byte of the state folder",
    },
  },
  {
    id: "S1135",
    plants: "payloads of which no record is made stay in the inbox",
    edits: [
      {
        file: "src/cli/forget/events-of-key.ts",
        find: "if (mentions(rowAt(page.source, index), key) || textMentions(text, key)) {",
        replace: "if (mentions(undefined, key)) {",
      },
    ],
    test: {
      file: forgetTest,
      title: "erases the payloads of the inbox that become its record, and leaves the others",
    },
  },
  {
    id: "S1136",
    plants: "what is to be sent again stays known, so that no run sends it",
    edits: [
      {
        file: erase,
        find: "await erase(queries, name, keys);",
        replace: "await erase(queries, name, keys.slice(0, 0));",
      },
    ],
    test: {
      file: eraseTest,
      title: "is forgotten where it is only to be sent again: its rejects stay",
    },
  },
  {
    id: "S1741",
    plants: "of events that no sync reads nobody hears that they were not erased",
    edits: [
      {
        file: "src/cli/forget/events-of-key.ts",
        find: "      if (first !== undefined) found.push(connection);",
        replace: "      if (first !== undefined && connection === '') found.push(connection);",
      },
    ],
    test: {
      file: forgetTest,
      title: "names connections that no sync reads, of which the inbox has events",
    },
  },
  {
    id: "S2021",
    plants: "a run whose beginning was erased counts as one that read the whole source",
    edits: [
      {
        file: erase,
        find: "const by = isBeginning ? JSON.stringify(forgottenKey) : null;",
        replace: "const by = isBeginning ? null : null;",
      },
    ],
    test: {
      file: "test/src/state/open-rejects.test.ts",
      title: "are those of before a run that read on, also once the key where it began was erased",
    },
  },
  {
    id: "S2022",
    plants: "a replay reads the rows of rejects again whose key was erased",
    edits: [
      {
        file: "src/state/store/rejects/replays.ts",
        find: " and r.place <> ${forgottenKey}`;",
        replace: " and r.place <> ${`${forgottenKey}s`}`;",
      },
    ],
    test: {
      file: eraseTest,
      title: "stays in the counts of its run, whose report balances, and is not replayed",
    },
  },
  {
    id: "S2023",
    plants: "a number in what a run was asked for counts as the key with its digits",
    edits: [
      {
        file: erase,
        find: "if (!mentions([keys, note], key)) continue;",
        replace: "if (!mentions([keys, note, others], key)) continue;",
      },
    ],
    test: {
      file: eraseTest,
      title:
        "is looked for in the keys and the note of what a run was asked for, and in no other word of it",
    },
  },
  {
    id: "S2024",
    plants:
      "a worker notes a key as stray from a list that it read before another process erased the key",
    edits: [
      {
        file: "src/state/store/doubts/settling.ts",
        find: "      await sentKeys.reread(queries, send);\n",
        replace: "      await sentKeys.all(queries, send);\n",
      },
    ],
    test: {
      file: "test/activities/doubt/forgotten.test.ts",
      title:
        "a key that another process erased is no stray one for a worker that had read its list",
    },
  },
  {
    id: "S2015",
    plants: "a drain that begins while a person is erased keeps what it read",
    edits: [
      {
        file: "src/cli/forget/forget.ts",
        find: "since: await state.eraseKey(key)",
        replace: "since: await state.eraseKey({ ...key, key: '' })",
      },
    ],
    test: {
      file: forgetTest,
      title: "erases what a drain has kept that began and ended between the key and the payloads",
    },
  },
  {
    id: "S2076",
    plants: "payloads with a repeated member that no mapping reads stay after forget",
    edits: [
      {
        file: "src/cli/forget/events-of-key.ts",
        find: " || textMentions(text, key)",
        replace: "",
      },
    ],
    test: {
      file: forgetTest,
      title: "erases payloads that no mapping can read: of a repeated member, or too deep",
    },
  },
  {
    id: "S2077",
    plants: "rejects stay after forget whose row has the key in a member that is repeated later",
    edits: [
      {
        file: "src/state/rules/keys/mentions.ts",
        find: "if (isJson(written)) return hasValue(written, text);",
        replace: "if (isJson(written)) return mentions(JSON.parse(written), text);",
      },
    ],
    test: {
      file: forgetTest,
      title: "erases rejects whose rows have a member twice",
    },
  },
  {
    id: "S2146",
    plants: "a key that equals the line or offset of a file erases where other runs came to",
    edits: [
      {
        file: erase,
        find: "from ${runs} where places_are_lines = 1)`;",
        replace: "from ${runs} where places_are_lines = 2)`;",
      },
    ],
    test: {
      file: eraseTest,
      title: "is not the offset, line or device of a file, nor the clock or table of a database",
    },
  },
];

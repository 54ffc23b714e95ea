import type { Mutant } from "../mutant.ts";

const lookUp = "src/state/sqlite/keys/look-up.ts";
const fingerprintsTest = "test/src/state/keys/fingerprints.test.ts";
const knownTest = "test/src/state/keys/known-records.test.ts";
const verdictsTest = "test/src/state/keys/verdicts.test.ts";
const byTheRules = "every verdict is that of the rules";
const withoutTag = {
  file: lookUp,
  find: "and f.tag = substr($tags, k.key * ${tagBytes} + 1, ${tagBytes})",
  replace: "",
};

/** Mutants of keys as the store knows them, by hashes, and of the data kept for keys that leave. */
export const mutantsOfKeys: readonly Mutant[] = [
  {
    id: "S670",
    plants: "the number of a key alone tells whose fingerprint it is",
    edits: [withoutTag],
    test: { file: verdictsTest, title: byTheRules },
  },
  {
    id: "S671",
    plants: "keys of one number share a fingerprint, and are duplicates of each other",
    edits: [
      withoutTag,
      {
        file: "src/state/sqlite/migrations/migration-hashed-keys.ts",
        find: "primary key (set_id, number, tag)",
        replace: "primary key (set_id, number)",
      },
    ],
    test: { file: verdictsTest, title: byTheRules },
  },
  {
    id: "S672",
    plants: "numbers of keys are unsigned where they are looked up",
    edits: [
      {
        file: lookUp,
        find: "numbersJson(hashed, sorted)",
        replace:
          "numbersJson(hashed, sorted).replaceAll(/-\\d+/g, (n) => `${BigInt.asUintN(64, BigInt(n))}`)",
      },
    ],
    test: {
      file: fingerprintsTest,
      title: "judges more keys than one transaction takes, in the order of their rows",
    },
  },
  {
    id: "S1290",
    plants: "what was found of a key is told of another",
    edits: [
      {
        file: lookUp,
        find: "const place = places[sorted[at] ?? 0] ?? 0;",
        replace: "const place = at;",
      },
    ],
    test: { file: verdictsTest, title: byTheRules },
  },
  {
    id: "S1291",
    plants: "a property shares the slot of a field that is called as it is",
    edits: [
      {
        file: "wasm/fields/index.ts",
        find: "bool(name.isProperty) == isProperty && ",
        replace: "",
      },
    ],
    test: {
      file: "test/src/pipeline/fields/field-hashes.test.ts",
      title: "keeps a property apart that is called as a field is",
    },
  },
  {
    id: "S1292",
    plants:
      "of many texts that are hashed, those after the first ten thousand begin where these did",
    edits: [
      {
        file: "src/state/rules/keys/sip-hash.ts",
        find: "const from = ends[first - 1] ?? 0;",
        replace: "const from = 0;",
      },
    ],
    test: {
      file: "test/src/state/keys/sip-hash.test.ts",
      title: "of several texts is that of each",
    },
  },
  {
    id: "S673",
    plants: "a key has the same hash in every set",
    edits: [
      {
        file: "src/state/rules/keys/key-hashes.ts",
        find: "createSipHash(secret, prefixOf(setId))",
        replace: "createSipHash(secret, prefixOf(0))",
      },
    ],
    test: {
      file: "test/src/state/keys/key-hashes.test.ts",
      title: "tells keys, sets and stores apart",
    },
  },
  {
    id: "S674",
    plants: "forgotten fingerprints count",
    edits: [{ file: lookUp, find: " and send > $validAfter", replace: "" }],
    test: { file: fingerprintsTest, title: "sends what was known once fingerprints are forgotten" },
  },
  {
    id: "S675",
    plants: "a fingerprint that is too old counts",
    edits: [{ file: lookUp, find: "and committed_at >= $committedAfter", replace: "" }],
    test: { file: fingerprintsTest, title: "when they are too old" },
  },
  {
    id: "S676",
    plants: "whatever the look-up does not name as known is known",
    edits: [
      {
        file: lookUp,
        find: "if (id > 0 && !counts(sends[place] ?? 0)) ids[place] = -id;",
        replace: "if (id !== 0) ids[place] = Math.abs(id);",
      },
    ],
    test: { file: fingerprintsTest, title: "judges what was committed as unchanged" },
  },
  {
    id: "S677",
    plants: "a backfill does not ask who sent what is known",
    edits: [
      {
        file: lookUp,
        find: "sends[place] = found.sends?.[at] ?? 0;",
        replace: "sends[place] = (ids[place] ?? 0) > 0 ? 0 : (found.sends?.[at] ?? 0);",
      },
    ],
    test: {
      file: fingerprintsTest,
      title:
        "leaves out in a backfill what another run sent since, and asks of each key who it was",
    },
  },
  {
    id: "S678",
    plants: "a full run leaves out what is known",
    edits: [
      {
        file: "src/state/rules/keys/judge.ts",
        find: "if (isKnown && !full &&",
        replace: "if (isKnown &&",
      },
    ],
    test: { file: fingerprintsTest, title: "when all is to be sent" },
  },
  {
    id: "S679",
    plants: "fields are kept of records that do not leave",
    edits: [
      {
        file: "src/pipeline/changed.ts",
        find: "if (!isSent(verdicts[at++])) continue;\n      places",
        replace: "at += 1;\n      places",
      },
    ],
    test: {
      file: "test/src/pipeline/changed.test.ts",
      title: "keeps the fields of the records that leave, and of no others",
    },
  },
  {
    id: "S680",
    plants: "a field is told of that the service is not known to have held",
    edits: [
      {
        file: "src/state/sqlite/keys/stage-keys.ts",
        find: "ids[index] = wasTaken ? id : -id;",
        replace: "ids[index] = wasTaken ? id : id;",
      },
    ],
    test: { file: knownTest, title: "tells of a field that the service held before" },
  },
  {
    id: "S681",
    plants: "a staging that was given up keeps fields",
    edits: [
      {
        file: "src/state/sqlite/keys/field-keeper.ts",
        find: "if (!isStaging(input)) throw superseded(input);",
        replace: "",
      },
    ],
    test: { file: knownTest, title: "keeps no fields for a staging that is not the newest" },
  },
  {
    id: "S682",
    plants: "a row within a run of rows has the number of the first",
    edits: [
      {
        file: "src/state/rules/keys/seen-rows.ts",
        find: "each(id + on, rowNumber + on)",
        replace: "each(id + on, rowNumber)",
      },
    ],
    test: {
      file: "test/src/state/keys/seen-rows.test.ts",
      title: "gives back every row that was seen",
    },
  },
  {
    id: "S683",
    plants: "an older store forgets how new its keys are when it is opened",
    edits: [
      {
        file: "src/state/sqlite/migrations/migration-hashed-keys.ts",
        find: "    ages.addOne(id, age);\n",
        replace: "",
      },
    ],
    test: {
      file: "test/src/state/keys/hashed-keys.test.ts",
      title: "knows how new each key is",
    },
  },
  {
    id: "S684",
    plants: "a run that goes on in an older store does not know what it saw",
    edits: [
      {
        file: "src/state/sqlite/migrations/migration-hashed-keys.ts",
        find: "    if (isOpen) see(open, id, seen);\n",
        replace: "",
      },
    ],
    test: {
      file: "test/src/state/keys/hashed-keys.test.ts",
      title: "knows what a run saw that goes on",
    },
  },
  {
    id: "S685",
    plants: "keys are joined to texts without their ends",
    edits: [
      {
        file: "src/state/text-block.ts",
        find: "if (Buffer.byteLength(joined) === length) {",
        replace: "if (joined.length === length) {",
      },
    ],
    test: { file: "test/src/state/text-block.test.ts", title: "gives back every text of a block" },
  },
];

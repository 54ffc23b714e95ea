import { planting, type Mutant } from "../mutant.ts";

const mutant = planting({
  file: "test/src/pipeline/fields/field-hashes.test.ts",
  title: "say the same of all lines",
});

const fields = "wasm/fields/index.ts";

/** Fields whose hashes in a block differ from those computed one by one. */
export const mutantsOfFields: readonly Mutant[] = [
  mutant({
    id: "S1403",
    plants: "a field is taken for one whose name begins as its own does",
    file: fields,
    find: "areSame(at, name.at, name.length) && <u32>load<u8>(to) == QUOTE",
    replace: "areSame(at, name.at, name.length)",
  }),
  mutant({
    id: "S1404",
    plants: "a quote that is escaped ends a text",
    file: fields,
    find: "    to += 2;\n",
    replace: "    to += 1;\n",
  }),
  mutant({
    id: "S1405",
    plants: "names are the same whose first 16 bytes are",
    file: fields,
    find: "bytes > 0; bytes -= 16",
    replace: "bytes > 0; bytes = 0",
  }),
  mutant({
    id: "S1406",
    plants: "a field that few of many lines have gets no slot",
    file: "src/pipeline/fields/field-hashes.ts",
    find: "lines === Infinity || slots.length >= fieldSlotsMax;",
    replace: "true;",
    title: "finds a field that one of many lines has",
  }),
  mutant({
    id: "S1407",
    plants: "the last three bytes of a value do not count",
    file: fields,
    find: "  for (; from < end; from += 1) hash",
    replace: "  for (; from > end; from += 1) hash",
  }),
  {
    id: "S2140",
    plants: "the fields of a record that has none are unknown later on",
    edits: [
      {
        file: "src/state/sqlite/keys/field-keeper.ts",
        find: "\"ifnull(substr($hashes, key * $fieldBytes + 1, $fieldBytes), x'')\"",
        replace: '"substr($hashes, key * $fieldBytes + 1, $fieldBytes)"',
      },
    ],
    test: {
      file: "test/src/pipeline/change-counts.test.ts",
      title: "is what both states differ in, field by field, whatever became of earlier nights",
    },
  },
];

import { planting, type Mutant } from "../mutant.ts";

const folder = "src/state/postgres/keys";
const [merging, sightings] = [`${folder}/merging.ts`, `${folder}/sightings.ts`];
const atOnce = "test/src/state/keys/at-once.test.ts";
const staged = "test/src/state/keys/staged-keys.test.ts";
const asItWas = "leaves what is known as it was";
const plant = planting({
  file: "test/src/state/keys/fingerprints.test.ts",
  title: "judges what was committed as unchanged",
});

/** Mutants of fingerprints in Postgres. */
export const mutantsOfPostgresKeys: readonly Mutant[] = [
  {
    id: "S902",
    plants: "two hosts judge keys of a set at once",
    edits: [{ file: `${folder}/set-lock.ts`, find: "    .forUpdate()\n", replace: "" }],
    test: { file: atOnce, title: "send a key once" },
  },
  {
    id: "S903",
    plants: "what another host staged of a run is not asked about",
    edits: [
      {
        file: sightings,
        find: "      addIds(seen.ids, entries);",
        replace: "      if (!isOurs) addIds(seen.ids, entries);",
      },
    ],
    test: { file: atOnce, title: "see what another of them staged" },
  },
  plant({
    id: "S904",
    plants: "on Postgres a run remembers what a staging saw that was given up",
    file: sightings,
    find: "if (isOurs && known.ended !== ended) {",
    replace: "if (isOurs && known.ended > ended) {",
    title: "rejects a second row of a key within one run, but not after a restaging",
  }),
  {
    id: "S905",
    plants: "keys of a staging that counts stay apart, and unknown",
    edits: [
      {
        file: `${folder}/look-up.ts`,
        find: "s.state in ('staging', 'staged')\n",
        replace: "s.state <> 'dropped'\n",
      },
    ],
    test: {
      file: "test/src/state/keys/known-records.test.ts",
      title: "answers the hashes of an accepted record by the names of its fields",
    },
  },
  {
    id: "S906",
    plants: "on Postgres an older fingerprint counts while a newer record is on its way",
    edits: [
      {
        file: `${folder}/look-up.ts`,
        find: "and e.send + 0 = any(${open})",
        replace: "and e.send + 0 < any(${open})",
      },
    ],
    test: { file: staged, title: asItWas },
  },
  plant({
    id: "S907",
    plants: "on Postgres a staging that was given up supersedes a replayed row",
    file: `${folder}/ages.ts`,
    find: "and t.state in ('committed', 'cut') and",
    replace: "and t.state <> '' and",
    title: "judges a replayed row by no staging that was given up",
  }),
  {
    id: "S908",
    plants: "on Postgres ages are forgotten that an older mapping asks for",
    edits: [
      { file: sightings, find: "if (isAsked) await fold", replace: "if (!isAny) await fold" },
    ],
    test: {
      file: "test/src/state/keys/sightings.test.ts",
      title: "is of the mapping that judged it last, also once its run has ended",
    },
  },
  {
    id: "S909",
    plants: "on Postgres keys become unknown of which nothing left",
    edits: [
      {
        file: merging,
        find: "s.send is null or ${hasLeft} as has_left",
        replace: "s.send is null or true as has_left",
      },
    ],
    test: { file: staged, title: asItWas },
  },
  {
    id: "S910",
    plants: "on Postgres what may have been taken is forgotten as if nothing had left",
    edits: [
      {
        file: merging,
        find: "s.send is null or ${hasLeft} as has_left",
        replace: "s.send is null as has_left",
      },
    ],
    test: { file: staged, title: "makes its keys unknown when it is given up once a part" },
  },
  {
    id: "S911",
    plants: "on Postgres the fields of a changed record stay those that it had",
    edits: [
      {
        file: merging,
        find: "  if (rows.length === 0) return;\n",
        replace: "  if (rows.length >= 0) return;\n",
      },
    ],
    test: { file: staged, title: "has the fields of its records known with its commit" },
  },
  {
    id: "S912",
    plants: "a key with a NUL stops the store in Postgres",
    edits: [
      { file: "src/state/postgres/database.ts", find: "      new TextsWithNul(),\n", replace: "" },
    ],
    test: { file: "test/src/state/postgres/database.test.ts", title: "is written, found and read" },
  },
  plant({
    id: "S2085",
    plants: "a sync of a field with a very long name stops for ever, in Postgres",
    file: "src/state/postgres/schema.ts",
    find: '  ["alter table $schema.fingerprint_fields drop constraint fingerprint_fields_set_id_name_key"],\n',
    replace: "",
    test: "test/src/state/keys/known-records.test.ts",
    title: "keeps a field whatever the length of its name",
  }),
  {
    id: "S913",
    plants: "a list of keys in Postgres takes no NUL",
    edits: [
      {
        file: "src/state/store/lists.ts",
        find: "JSON.stringify(texts.map(withoutNul))",
        replace: "JSON.stringify(texts)",
      },
    ],
    test: { file: "test/src/state/postgres/database.test.ts", title: "is written, found and read" },
  },
  plant({
    id: "S914",
    plants: "a run remembers what was not taken of a chunk that was cut",
    file: "src/state/sqlite/keys/sightings.ts",
    find: "and state in ('dropped', 'cut')",
    replace: "and state = 'dropped'",
    title: "rejects no row of a key of which the service took none",
  }),
  plant({
    id: "S915",
    plants: "on Postgres it does so, too",
    file: sightings,
    find: "and state in ('dropped', 'cut')",
    replace: "and state = 'dropped'",
    title: "rejects no row of a key of which the service took none",
  }),
  plant({
    id: "S2133",
    plants: "beyond the last number that there is, a key is taken for another",
    file: "src/state/rules/keys/ids-left.ts",
    find: "nextId + added - 1 <= idsMax",
    replace: "nextId - 1 <= idsMax",
    title: "takes no key beyond those that it can number",
  }),
];

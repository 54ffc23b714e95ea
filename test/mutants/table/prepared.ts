import { planting, type Mutant } from "../mutant.ts";

const preparing = "src/state/store/sends/prepare-commit.ts";
const keys = "src/state/postgres/keys";
const migrate = "src/state/postgres/migrate.ts";
const plant = planting({
  file: "test/src/state/store/prepared-commits.test.ts",
  title: "has keys known with it, and no earlier",
});
const ofPrinted = planting({
  file: "test/src/state/postgres/migrating.test.ts",
  title: "the statements that are printed bring an older store to this version",
});

/** Mutants of writes ahead of a commit, and of statements that somebody else runs. */
export const mutantsOfPrepared: readonly Mutant[] = [
  {
    id: "S1420",
    plants: "a commit is prepared before anything of its chunk left",
    edits: [
      { file: preparing, find: ".innerJoin(", replace: ".leftJoin(" },
      { file: preparing, find: '    .where("r.attempts", ">", 0)\n', replace: "" },
    ],
    test: {
      file: "test/src/state/store/prepared-commits.test.ts",
      title: "leaves what is known as it was, where nothing of the chunk had left",
    },
  },
  plant({
    id: "S1421",
    plants: "what was prepared of a commit is written once more with it",
    file: `${keys}/merging.ts`,
    find: "  if (keys === merged) return [];\n",
    replace: "",
  }),
  plant({
    id: "S1422",
    plants: "a record that is refused once its commit was prepared is known",
    file: `${keys}/merging.ts`,
    find: "${sendAfter(send, sql`0`)}",
    replace: "f.send",
    test: "test/src/state/keys/staged-keys.test.ts",
    title: "says nothing of a record that the service refused",
  }),
  {
    id: "S1423",
    plants: "a commit that cannot be prepared has its request sent again",
    edits: [
      {
        file: "activities/upload/prepare-commit.ts",
        find: "stage }).catch(() => undefined);",
        replace: "stage });",
      },
    ],
    test: {
      file: "test/activities/upload/upload-json.test.ts",
      title: "a commit that cannot be prepared fails no request",
    },
  },
  plant({
    id: "S1427",
    plants: "keys of a chunk on its way are forgotten as not seen",
    file: `${keys}/merging.ts`,
    find: "and s.state = 'staged' order by",
    replace: "and s.state = 'never' order by",
    title: "leaves keys known of which nothing else was seen since",
  }),
  plant({
    id: "S1580",
    plants:
      "keys of a chunk that was given up are written behind what forgets those that were not seen",
    file: `${keys}/fingerprints.ts`,
    find: "    await settleStaged(database, await setIdOf(database.state.queries, name));\n",
    replace: "",
    title: "is forgotten as not seen once it is given up",
  }),
  plant({
    id: "S1428",
    plants: "a new key of a chunk on its way counts as one of an older mapping",
    file: `${keys}/mappings.ts`,
    find: "and s.state in ('staged', 'dropped'))",
    replace: "and false)",
    title: "has nobody told of a new key as one of an older mapping",
  }),
  ofPrinted({
    id: "S1424",
    plants: "the printed statements change the tables beside workers of before",
    file: migrate,
    find: "  if living is not null then",
    replace: "  if false then",
  }),
  ofPrinted({
    id: "S1425",
    plants: "the printed statements are run again, long after",
    file: migrate,
    find: "is distinct from '${version}' then",
    replace: "is null then",
  }),
  ofPrinted({
    id: "S1426",
    plants: "the printed statements wait for nothing that is under way",
    file: migrate,
    find: "  ${lockSql(name)};\nend`",
    replace: "end`",
    title: "the statements that are printed make a store, and wait",
  }),
];

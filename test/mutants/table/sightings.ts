import type { Mutant } from "../mutant.ts";

const fingerprintsTest = "test/src/state/fingerprints.test.ts";
const sightingsTest = "test/src/state/sightings.test.ts";
const openRejectsTest = "test/src/state/open-rejects.test.ts";

/** Mutants of what stagings saw and did not send, and of keys that are judged in one statement. */
export const mutantsOfSightings: readonly Mutant[] = [
  {
    id: "S320",
    plants: "an unchanged row that the run saw already is no duplicate",
    edits: [
      {
        file: "src/state/sqlite/keys/fingerprints.ts",
        find: "const isDuplicate = rejectDuplicates && set.isSeen(id);",
        replace: "const isDuplicate = false;",
      },
    ],
    test: {
      file: fingerprintsTest,
      title: "rejects a second row of a key within one run, but not after a restaging",
    },
  },
  {
    id: "S321",
    plants: "a changed row that the run saw unchanged before is no duplicate",
    edits: [
      {
        file: "src/state/sqlite/keys/judge.ts",
        find: "input.rejectDuplicates && (isSeen || isOfRun(",
        replace: "input.rejectDuplicates && (isOfRun(",
      },
    ],
    test: { file: sightingsTest, title: "become what each would by itself" },
  },
  {
    id: "S322",
    plants: "what a given-up staging saw makes the restaged rows duplicates",
    edits: [
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "and run_id = $runId and state <> 'dropped' and number > $number",
        replace: "and run_id = $runId and number > $number",
      },
    ],
    test: {
      file: fingerprintsTest,
      title: "rejects a second row of a key within one run, but not after a restaging",
    },
  },
  {
    id: "S323",
    plants: "what a run saw is not read anew when a staging is given up",
    edits: [
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "seen?.runId !== runId || seen.dropped !== dropped",
        replace: "seen?.runId !== runId",
      },
    ],
    test: {
      file: fingerprintsTest,
      title: "rejects a second row of a key within one run, but not after a restaging",
    },
  },
  {
    id: "S324",
    plants: "a replayed row is sent over one that was unchanged since",
    edits: [
      {
        file: "src/state/sqlite/keys/judge.ts",
        find: "Math.max(newest, sighted) > age",
        replace: "newest > age",
      },
    ],
    test: { file: fingerprintsTest, title: "what was seen since supersedes it" },
  },
  {
    id: "S325",
    plants: "what a given-up staging saw supersedes a replayed row",
    edits: [
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "where set_id = $setId and state in ('committed', 'cut')`",
        replace: "where set_id = $setId`",
      },
    ],
    test: {
      file: sightingsTest,
      title: "is not seen by a staging that was given up",
    },
  },
  {
    id: "S326",
    plants: "what was seen is forgotten though a reject asks for it",
    edits: [
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "if (count(isAsked, at) === 0) forgetBlocks",
        replace: "if (count(isAsked, at) >= 0) forgetBlocks",
      },
    ],
    test: { file: openRejectsTest, title: "also once later runs have come by" },
  },
  {
    id: "S327",
    plants: "what is folded is not written",
    edits: [
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "put.run({ setId, block, ages: bytesOf(newest) });",
        replace: "void newest;",
      },
    ],
    test: { file: openRejectsTest, title: "also once later runs have come by" },
  },
  {
    id: "S328",
    plants: "what is not decided yet is forgotten",
    edits: [
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "(s.state in ('staging', 'staged') or r.ended_at is null))`",
        replace: "false)`",
      },
    ],
    test: { file: sightingsTest, title: "counts although a later run came by" },
  },
  {
    id: "S329",
    plants: "the open rejects do not ask what was unchanged since",
    edits: [
      {
        file: "src/state/sqlite/rejects/open-rejects.ts",
        find: "f.seen, f.seen_before), ${newestSightedSql})",
        replace: "f.seen, f.seen_before), 0)",
      },
    ],
    test: { file: openRejectsTest, title: "also once later runs have come by" },
  },
  {
    id: "S330",
    plants: "a mapping that judged a row unchanged does not count",
    edits: [
      {
        file: "src/state/sqlite/keys/mappings.ts",
        find: "sendSql(`max(f.seen, ${newestSightedSql})`)",
        replace: 'sendSql("f.seen")',
      },
    ],
    test: { file: sightingsTest, title: "is of the mapping that judged it last" },
  },
  {
    id: "S331",
    plants: "what a mapping saw is forgotten while an older one is known",
    edits: [
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "or exists (select 1 from sightings join sends s using (send) join mappings m using (set_id)",
        replace:
          "or exists (select 1 from sightings join sends s using (send) join mappings m on false",
      },
    ],
    test: { file: sightingsTest, title: "is of the mapping that judged it last" },
  },
  {
    id: "S332",
    plants: "rows that were only seen are forgotten as passed",
    edits: [
      {
        file: "src/state/sqlite/keys/fingerprints.ts",
        find: "and max(seen, ${newestSightedSql}) <",
        replace: "and seen <",
      },
    ],
    test: { file: sightingsTest, title: "stays known where what a run did not see is forgotten" },
  },
  {
    id: "S333",
    plants: "the fingerprint is written for a row that is unchanged",
    edits: [
      {
        file: "src/state/sqlite/keys/fingerprints.ts",
        find: "if (isByItself || set.isDoubted !== undefined) return new Set();",
        replace: "return new Set();",
      },
    ],
    test: { file: sightingsTest, title: "has nothing written to its fingerprint" },
  },
  {
    id: "S334",
    plants: "keys that occur twice are judged at once",
    edits: [
      {
        file: "src/state/sqlite/keys/known-unchanged.ts",
        find: "if (new Set(keys).size === keys.length) return undefined;",
        replace: "if (keys.length > 0) return undefined;",
      },
    ],
    test: { file: sightingsTest, title: "become what each would by itself" },
  },
  {
    id: "S335",
    plants: "a fingerprint that is too old counts where keys are judged at once",
    edits: [
      {
        file: "src/state/sqlite/keys/known-unchanged.ts",
        find: "coalesce(s.committed_at, 0) >= $committedAfter",
        replace: "coalesce(s.committed_at, 0) >= 0",
      },
    ],
    test: { file: fingerprintsTest, title: "when they are too old" },
  },
  {
    id: "S336",
    plants: "forgotten fingerprints count where keys are judged at once",
    edits: [
      {
        file: "src/state/sqlite/keys/known-unchanged.ts",
        find: "f.send > $validAfter",
        replace: "f.send > 0",
      },
    ],
    test: { file: sightingsTest, title: "is sent once fingerprints were forgotten" },
  },
  {
    id: "S337",
    plants: "what was staged and never committed counts where keys are judged at once",
    edits: [
      {
        file: "src/state/sqlite/keys/known-unchanged.ts",
        find: "and s.state in ('committed', 'cut')",
        replace: "",
      },
    ],
    test: { file: sightingsTest, title: "become what each would by itself" },
  },
  {
    id: "S338",
    plants: "a shortened hash decides that a record is unchanged",
    edits: [
      {
        file: "src/state/sqlite/keys/known-unchanged.ts",
        find: "f.hash = substr($hashes, k.key * ${hashBytes} + 1, ${hashBytes})",
        replace: "substr(f.hash, 1, 0) = substr($hashes, 1, 0)",
      },
    ],
    test: { file: fingerprintsTest, title: "judges what was committed as unchanged" },
  },
  {
    id: "S339",
    plants: "a row of a key that this run sent is unchanged where keys are judged at once",
    edits: [
      {
        file: "src/state/sqlite/keys/known-unchanged.ts",
        find: "seen.run_id is $runId and",
        replace: "false and",
      },
    ],
    test: { file: sightingsTest, title: "become what each would by itself" },
  },
  {
    id: "S340",
    plants: "a full run leaves out what is known",
    edits: [
      {
        file: "src/state/sqlite/keys/fingerprints.ts",
        find: "const isByItself = full || ages",
        replace: "const isByItself = ages",
      },
    ],
    test: { file: fingerprintsTest, title: "when all is to be sent" },
  },
  {
    id: "S341",
    plants: "two fingerprints get one id",
    edits: [
      {
        file: "src/state/sqlite/keys/fingerprints.ts",
        find: "if (nextId !== set.nextId) sets.setNextId({ id: set.id, nextId });",
        replace: "",
      },
    ],
    test: { file: sightingsTest, title: "become what each would by itself" },
  },
];

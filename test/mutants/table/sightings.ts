import type { Mutant } from "../mutant.ts";

const fingerprintsTest = "test/src/state/keys/fingerprints.test.ts";
const sightingsTest = "test/src/state/keys/sightings.test.ts";
const openRejectsTest = "test/src/state/open-rejects.test.ts";
const verdictsTest = "test/src/state/keys/verdicts.test.ts";

/** Mutants of what stagings saw and did not send, and of the fingerprints that one statement looks up. */
export const mutantsOfSightings: readonly Mutant[] = [
  {
    id: "S320",
    plants: "an unchanged row that the run saw already is no duplicate",
    edits: [
      {
        file: "src/state/rules/keys/judge.ts",
        find: "rejectDuplicates && set.isSeen(id)",
        replace: "rejectDuplicates && !isKnown && set.isSeen(id)",
      },
    ],
    test: {
      file: fingerprintsTest,
      title: "rejects a second row of a key within one run, but not after a restaging",
    },
  },
  {
    id: "S321",
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
    id: "S322",
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
    id: "S323",
    plants: "a replayed row is sent over one that was unchanged since",
    edits: [
      {
        file: "src/state/rules/keys/judge.ts",
        find: "if (id !== 0) set.note",
        replace: "if (id !== 0 && !isKnown) set.note",
      },
    ],
    test: { file: fingerprintsTest, title: "what was seen since supersedes it" },
  },
  {
    id: "S324",
    plants: "what a given-up staging saw supersedes a replayed row",
    edits: [
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "where set_id = $setId and state in ('committed', 'cut')`",
        replace: "where set_id = $setId`",
      },
    ],
    test: { file: sightingsTest, title: "is not seen by a staging that was given up" },
  },
  {
    id: "S325",
    plants: "what was seen is forgotten though a reject asks for it",
    edits: [
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "if (count(isAsked, at) === 0) forgetBlocks",
        replace: "if (count(isAsked, at) >= 0) forgetBlocks",
      },
    ],
    test: { file: sightingsTest, title: "counts for an older row that is replayed" },
  },
  {
    id: "S326",
    plants: "what is folded is not written",
    edits: [
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "put.run({ setId, block, ages: bytesOfAges(newest) });",
        replace: "void newest;",
      },
    ],
    test: { file: sightingsTest, title: "counts for an older row that is replayed" },
  },
  {
    id: "S327",
    plants: "what is folded replaces what was folded before",
    edits: [
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "Math.max(age, known?.[index] ?? 0)",
        replace: "age + (known?.length ?? 0) * 0",
      },
    ],
    test: { file: sightingsTest, title: "counts for an older row that is replayed" },
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
        file: "src/state/store/rejects/close-rejects.ts",
        find: "(ages[at++] ?? 0) <= reject.age",
        replace: "0 <= reject.age",
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
        find: "${sendSql(newestSightedSql)}",
        replace: "0",
      },
    ],
    test: { file: sightingsTest, title: "is of the mapping that judged it last" },
  },
  {
    id: "S331",
    plants: "rows that were only seen are forgotten as passed",
    edits: [
      {
        file: "src/state/sqlite/keys/fingerprints.ts",
        find: "and ${newestSightedSql} <",
        replace: "and f.send * 16777216 <",
      },
    ],
    test: { file: sightingsTest, title: "stays known where what a run did not see is forgotten" },
  },
  {
    id: "S332",
    plants: "the fingerprint is written for a row that is unchanged",
    edits: [
      {
        file: "src/state/rules/keys/judge.ts",
        find: "    if (id !== 0) set.note(id, ageOfRow(input, index));\n",
        replace:
          "    if (id !== 0) set.note(id, ageOfRow(input, index));\n" +
          "    if (isKnown) put.known.set(index, { id, times: -1, wasTaken: false });\n",
      },
    ],
    test: { file: sightingsTest, title: "has nothing written to its fingerprint" },
  },
  {
    id: "S333",
    plants: "a replayed row that is unchanged is as new as its replay",
    edits: [
      {
        file: "src/state/rules/keys/judge.ts",
        find: "return ages?.[index] ?? ageOf",
        replace: "void ages;\n  return ageOf",
      },
    ],
    test: { file: verdictsTest, title: "every verdict is that of the rules" },
  },
  {
    id: "S334",
    plants: "a second row of a key is judged by what was known before the first",
    edits: [
      {
        file: "src/state/rules/keys/steps.ts",
        find: "times[index] = (times[before] ?? 0) + 1;",
        replace: "",
      },
    ],
    test: { file: verdictsTest, title: "every verdict is that of the rules" },
  },
  {
    id: "S335",
    plants: "a replayed row does not see what its own transaction saw",
    edits: [
      {
        file: "src/state/sqlite/keys/stage-keys.ts",
        find: "for (const order of steps) sightings.asking(() => step(staging, order, writer));",
        replace:
          "sightings.asking(() => {\n        for (const order of steps) step(staging, order, writer);\n      });",
      },
    ],
    test: {
      file: "test/src/state/keys/sightings.test.ts",
      title: "is seen by a replay that reads it twice, within one call",
    },
  },
  {
    id: "S336",
    plants: "two fingerprints get one id",
    edits: [
      {
        file: "src/state/sqlite/keys/stage-keys.ts",
        find: "    if (nextId > firstId) sets.setNextId({ id: setId, nextId });\n",
        replace: "",
      },
    ],
    test: { file: verdictsTest, title: "every verdict is that of the rules" },
  },
  {
    id: "S337",
    plants: "a record that differs is unchanged",
    edits: [
      {
        file: "src/state/sqlite/keys/look-up.ts",
        find: "f.hash is substr($hashes, k.key * ${hashBytes} + 1, ${hashBytes})",
        replace: "1",
      },
    ],
    test: { file: fingerprintsTest, title: "judges what was committed as unchanged" },
  },
  {
    id: "S338",
    plants: "the hashes are held against those of other keys",
    edits: [
      {
        file: "src/state/sqlite/keys/look-up.ts",
        find: "bytesInOrder(hashes, hashBytes, sorted)",
        replace: "bytesInOrder(hashes, hashBytes, order)",
      },
    ],
    test: { file: verdictsTest, title: "every verdict is that of the rules" },
  },
  {
    id: "S339",
    plants: "keys are asked for in another order than their hashes",
    edits: [
      {
        file: "src/state/sqlite/keys/look-up.ts",
        find: "numbersJson(hashed, sorted)",
        replace: "numbersJson(hashed, order)",
      },
    ],
    test: { file: verdictsTest, title: "every verdict is that of the rules" },
  },
  {
    id: "S340",
    plants: "what a mapping saw is forgotten while an older one is known",
    edits: [
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "or exists (select 1 from sightings join stagings s using (send) join mappings m using (set_id)",
        replace:
          "or exists (select 1 from sightings join stagings s using (send) join mappings m on false",
      },
    ],
    test: { file: sightingsTest, title: "is of the mapping that judged it last" },
  },
];

import type { Mutant } from "../mutant.ts";

const file = "test/src/state/store/vanished.test.ts";
const weighed = {
  file: "test/activities/run/weigh-run.test.ts",
  title: "is held by what is not there any more, and its report counts that",
} as const;

/** Keys that are no longer in a source, and where an erased key may be named by chance. */
export const mutantsOfVanished: readonly Mutant[] = [
  {
    id: "S1340",
    plants: "a key whose row is rejected counts as vanished",
    edits: [
      {
        file: "src/state/store/keys/vanished.ts",
        find: "for (const id of await keyIds.idsOf(queries, of.setId, some)) ids.add(id);",
        replace: "await keyIds.idsOf(queries, of.setId, some);",
      },
    ],
    test: {
      file,
      title: "is not a key whose row is rejected, and one that came back is gone no more",
    },
  },
  {
    id: "S1341",
    plants: "a key that came back is said to be gone",
    edits: [
      {
        file: "src/state/store/keys/vanished.ts",
        find: "  await takeBack(queries, setId, ids);\n",
        replace: "",
      },
    ],
    test: {
      file,
      title: "is not a key whose row is rejected, and one that came back is gone no more",
    },
  },
  {
    id: "S1342",
    plants: "a night is held against what a discarded one has read",
    edits: [
      {
        file: "activities/run/close-run.ts",
        find: 'if (outcome === "done" && isWholeReading(deps, run)) {',
        replace: "if (isWholeReading(deps, run)) {",
      },
    ],
    test: weighed,
  },
  {
    id: "S1343",
    plants: "everything that a run with `--limit` did not read has vanished",
    edits: [
      {
        file: "activities/run/whole-reading.ts",
        find: "request.limit === undefined && ",
        replace: "",
      },
    ],
    test: weighed,
  },
  {
    id: "S1344",
    plants: "no share of what vanished holds a run",
    edits: [
      { file: "src/guardrails/guardrails.ts", find: "of: gone?.of,", replace: "of: undefined," },
    ],
    test: weighed,
  },
  {
    id: "S1345",
    plants: "a key that was forgotten by a person's word counts as vanished",
    edits: [
      {
        file: "src/state/store/keys/erase-key.ts",
        find: "    await forgetBrought(queries, ids, { setId, keys });\n",
        replace: "",
      },
    ],
    test: { file, title: "is no key that was forgotten by a person's word" },
  },
  {
    id: "S1349",
    plants: "a worker that is late with a run's end puts its older reading in place of a later one",
    edits: [
      {
        file: "src/state/store/keys/vanished.ts",
        find: '    .where("endedAt", "is", null)\n',
        replace: "",
      },
    ],
    test: { file, title: "is told by no run that has ended, whose worker is only late" },
  },
  {
    id: "S1440",
    plants: "a key is said to be gone where bytes of two others are those of its id",
    edits: [
      {
        file: "src/state/store/keys/vanished.ts",
        find: "if (place % Uint32Array.BYTES_PER_ELEMENT === 1) return gone;",
        replace: "if (place > 0) return gone;",
      },
    ],
    test: {
      file,
      title: "is found among others by its own id, and not by bytes that lie across two",
    },
  },
  {
    id: "S1441",
    plants: "a key whose bytes lie across two others first is not said to be gone",
    edits: [
      {
        file: "src/state/store/keys/vanished.ts",
        find: "if (numbers.parse(ids).includes(id)) return gone;",
        replace: "if (ids.length === 0) return gone;",
      },
    ],
    test: {
      file,
      title: "is found among others by its own id, and not by bytes that lie across two",
    },
  },
  {
    id: "S1346",
    plants: "what vanished is told twice: by the run that missed it first, and by the next",
    edits: [
      {
        file: "src/state/store/keys/vanished.ts",
        find: 'conflict.column("setId").doUpdateSet(reading)',
        replace: 'conflict.column("setId").doNothing()',
      },
    ],
    test: {
      file,
      title: "is what the last whole reading had and this one has not, and is told once",
    },
  },
  {
    id: "S2064",
    plants: "rows_below is compared with a run that failed, where many did",
    edits: [
      {
        file: "src/guardrails/last-completed.ts",
        find: '["done", "done_with_rejects"] as const',
        replace: '["done", "done_with_rejects", "failed"] as const',
      },
    ],
    test: {
      file: "test/activities/run/weigh-run.test.ts",
      title: "is held by fewer rows than there were before any number of runs",
    },
  },
  {
    id: "S2235",
    plants: "rows_below is compared with nothing, where many replays came after the run",
    edits: [
      {
        file: "src/guardrails/last-completed.ts",
        find: "kinds: [kind], ",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/run/weigh-run.test.ts",
      title:
        "is held by fewer rows than there were before any number of runs that failed, or of replays",
    },
  },
  {
    id: "S2147",
    plants: "rejects of other people are erased whose line or number is the key",
    edits: [
      {
        file: "src/state/store/keys/erase-key.ts",
        find: "return placesAreLines !== 1 && textMentions(place, key);",
        replace: "return placesAreLines !== 2 && textMentions(place, key);",
      },
    ],
    test: {
      file: "test/src/state/keys/erase-key.test.ts",
      title: "is not the line, the event or the result of a reject without a key",
    },
  },
  {
    id: "S2148",
    plants: "forget leaves a key in where runs came to that were pruned since",
    edits: [
      {
        file: "src/state/store/keys/erase-key.ts",
        find: "(${isOfRuns} or run_id not in (select run_id from ${runs}))",
        replace: "(${isOfRuns})",
      },
    ],
    test: {
      file: "test/src/state/keys/erase-key.test.ts",
      title:
        "is erased in where runs came to that were pruned, and in checkpoints that a person set",
    },
  },
  {
    id: "S2150",
    plants: "a plan says that nothing is sent while records in doubt are due",
    edits: [
      {
        file: "src/cli/plan/plan.ts",
        find: "  return due;\n",
        replace: "  return due - due;\n",
      },
    ],
    test: {
      file: "test/src/cli/plan/plan.test.ts",
      title: "counts records in doubt that the next run sends once more before it reads",
    },
  },
  {
    id: "S2151",
    plants: "rejects of pulls are shown as open for ever",
    edits: [
      {
        file: "src/state/store/rejects/rejects.ts",
        find: " and not exists (${ofPull}) then 1",
        replace: " then 1",
      },
    ],
    test: {
      file: "test/activities/pull/write.test.ts",
      title: "says of every result what became of it",
    },
  },
];

import type { Mutant } from "../mutant.ts";

const versionsTest = "test/activities/postgres/postgres-versions.test.ts";
const followedTest = "test/activities/run/followed-rows.test.ts";

/**
 * Repeated reads: rows that a run reads again, several rows of one record, and records that have since lost a field.
 */
export const mutantsOfRepeats: readonly Mutant[] = [
  {
    id: "S150",
    plants: "with `send: all` a row is known by its record, whatever its stamp",
    edits: [
      {
        file: "src/pipeline/changed.ts",
        find: "const hashes = rows === undefined ? hashesOfLines(gathered) : hashesOfRows(gathered);",
        replace: "const hashes = rows !== null ? hashesOfLines(gathered) : hashesOfRows(gathered);",
      },
    ],
    test: {
      file: followedTest,
      title:
        "sends a row that is as it was under another stamp, and one that changed under its old stamp",
    },
  },
  {
    id: "S1665",
    plants: "with `send: all` rows are sent once more because a transaction was open for long",
    edits: [
      {
        file: "connectors/judging.ts",
        find: "return !isDeepStrictEqual(byOverlap, further);",
        replace: "return isDeepStrictEqual(byOverlap, further);",
      },
    ],
    test: {
      file: followedTest,
      title: "sends no row twice because a run goes back to where an old transaction began",
    },
  },
  {
    id: "S1666",
    plants: "a first read of a source with an open transaction and without an end fails",
    edits: [
      {
        file: "connectors/judging.ts",
        find: "  if (toPosition === null) return true;\n",
        replace: "",
      },
    ],
    test: {
      file: "test/connectors/judging.test.ts",
      title: "follows all where its source names no end",
    },
  },
  {
    id: "S151",
    plants: "with `send: all` every row that was ever sent is followed for ever",
    edits: [
      {
        file: "activities/run/followed-rows.ts",
        find: "if (!followsRows(connectorOf({ sources }, sync.connector), sync, run)) return;",
        replace: "if (followsRows(connectorOf({ sources }, sync.connector), sync, run)) return;",
      },
    ],
    test: {
      file: followedTest,
      title:
        "follows no row of the first load that no run goes back over, and forgets those that are passed",
    },
  },
  {
    id: "S152",
    plants: "with `send: all` what was followed still counts when everything is read again",
    edits: [
      {
        file: "activities/run/followed-rows.ts",
        find: "run !== undefined && run.fromPosition !== null && followsRows(source, sync, run);",
        replace: "run !== undefined && followsRows(source, sync, run);",
      },
    ],
    test: { file: followedTest, title: "sends everything when everything is read again" },
  },
  {
    id: "S153",
    plants: "only a key tells that a record has several rows, and not what a run has sent",
    edits: [
      {
        file: "activities/backfill/plan-backfill.ts",
        find: "(await state.hasRepeats({ target, sync: sync.name }));",
        replace: '(await state.hasRepeats({ target, sync: "" }));',
      },
    ],
    test: {
      file: versionsTest,
      title:
        "is not backfilled by a span once a run sent several rows of one record: send: changed",
    },
  },
  {
    id: "S2127",
    plants: "a backfill that rested before its first commit sends older versions over newer ones",
    edits: [
      {
        file: "activities/stage/stage-chunk.ts",
        find: "  const first = isFullRead\n",
        replace: "  const first = !isFullRead || isFullRead\n",
      },
    ],
    test: {
      file: versionsTest,
      title:
        "keeps what a nightly run sent while the backfill rested before its first chunk was sent",
    },
  },
  {
    id: "S2128",
    plants: "a backfill that was paused before it staged anything continues with the spans of then",
    edits: [
      {
        file: "workflows/backfill/backfill.ts",
        find: "is_begun: wasBegun || !isPaused });",
        replace: "is_begun: wasBegun || isPaused || true });",
      },
    ],
    test: {
      file: "test/workflows/backfill/backfill.test.ts",
      title: "is compared with its source again when it was paused before its first lane began",
    },
  },
  {
    id: "S154",
    plants: "a backfill with an end continues after a second row of one record",
    edits: [
      {
        file: "activities/stage/one-each.ts",
        find: "return !endsWithNewest && !(await isOneEach(sync, source, signal));",
        replace: "return !endsWithNewest && (await isOneEach(sync, source, signal));",
      },
    ],
    test: {
      file: versionsTest,
      title:
        "stops a backfill of a span at a second row of one record, before any of them leaves: send: changed",
    },
  },
  {
    id: "S155",
    plants: "a field that vanishes from a record is not told of",
    edits: [
      {
        file: "src/state/rules/keys/field-changes.ts",
        find: "const isLost = is === 0 && old !== 0;",
        replace: "const isLost = is !== 0 && old === 0;",
      },
    ],
    test: {
      file: "test/activities/doubt/lost-fields.test.ts",
      title: "is told of: a member that is null, or not there",
    },
  },
  {
    id: "S2006",
    plants: "a key that is joined from two columns is held to name one row",
    edits: [
      {
        file: "src/mapping/key-columns.ts",
        find: "isKept && !isChanged && columns.length === 1",
        replace: "isKept && !isChanged",
      },
    ],
    test: {
      file: "test/backfill/repeats.test.ts",
      title: "are known of both columns of the key, joined",
    },
  },
  {
    id: "S1957",
    plants: "an edited mapping module maps as before its edit in a thread that had it",
    edits: [
      {
        file: "src/mapping/module.ts",
        find: "const url = `${pathToFileURL(path).href}?${hash}`;",
        replace: "const url = `${pathToFileURL(path).href}?${hash.length}`;",
      },
    ],
    test: {
      file: "test/src/mapping/module.test.ts",
      title: "maps by the file as it is now, also in a thread that loaded it before it was edited",
    },
  },
  {
    id: "S2074",
    plants: "an attempt that is late removes domains that its successor has listed",
    edits: [
      {
        file: "src/state/store/pull/pull-rounds.ts",
        find: "    if (!(await isWanted(queries))) return 0;\n",
        replace: "",
      },
    ],
    test: {
      file: "test/src/state/store/late-pulls.test.ts",
      title:
        "an attempt to list domains that is late forgets none of a list that is made meanwhile",
    },
  },
  {
    id: "S2075",
    plants: "an attempt that is late begins another round over the one of its successor",
    edits: [
      {
        file: "src/state/store/pull/pull-rounds.ts",
        find: "  const kept = await keptPlace(queries, now);\n",
        replace: "  const kept: StoredPlace | undefined = undefined;\n",
      },
    ],
    test: {
      file: "test/src/state/store/late-pulls.test.ts",
      title: "that is late in transaction 2 forgets nothing of the round",
    },
  },
  {
    id: "S2144",
    plants:
      "a call that did not leave counts as possibly paid twice, and the next one that does not",
    edits: [
      {
        file: "src/state/store/pull/pull-pages.ts",
        find: "await changePlace(queries, step, { isAsking: wasAsking });",
        replace: "await changePlace(queries, step, { isAsking: false && wasAsking });",
      },
      {
        file: "src/state/store/pull/pull-pages.ts",
        find: "possiblyPaidTwice: -Number(wasAsking)",
        replace: "possiblyPaidTwice: 0",
      },
    ],
    test: {
      file: "test/src/state/pulls.test.ts",
      title:
        "counts what may be paid twice in the run that asks, and not in one whose call did not leave",
    },
  },
  {
    id: "S2145",
    plants: "the store does not hear that an earlier call may have brought the page",
    edits: [
      {
        file: "activities/pull/fetch.ts",
        find: "wasAsking: place.isAsking",
        replace: "wasAsking: false",
      },
    ],
    test: {
      file: "test/activities/pull/lost-answer.test.ts",
      title: "counts a page as possibly paid twice in the run that asks for it again",
    },
  },
];

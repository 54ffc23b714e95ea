import type { Mutant } from "../mutant.ts";

const orderTest = "test/activities/replay-order.test.ts";
const resetTest = "test/activities/doubt/reset.test.ts";

/** Late events: rows that are replayed, runs that are reset. */
export const mutantsOfLate: readonly Mutant[] = [
  {
    id: "S58",
    plants: "rejects of a chunk are all as old as its first row",
    edits: [
      {
        file: "src/state/store/rejects/reject-age.ts",
        find: "sql`r.row_number`",
        replace: "sql`0`",
      },
    ],
    test: {
      file: orderTest,
      title: "the newest event of a key is replayed although an older one of its chunk was sent",
    },
  },
  {
    id: "S59",
    plants: "a row that a given-up staging saw is newer than a reject",
    edits: [
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "where set_id = $setId and state in ('committed', 'cut')`",
        replace: "where set_id = $setId and state <> ''`",
      },
    ],
    test: {
      file: orderTest,
      title:
        "a row that the service refused is replayed although a backfill read it and was cancelled",
    },
  },
  {
    id: "S115",
    plants: "an older row is replayed over one that was accepted of a chunk that was cut",
    edits: [
      {
        file: "src/state/sqlite/keys/sightings.ts",
        find: "where set_id = $setId and state in ('committed', 'cut')`",
        replace: "where set_id = $setId and state = 'committed'`",
      },
    ],
    test: {
      file: "test/src/state/keys/fingerprints.test.ts",
      title:
        "keeps what was accepted of a cut chunk from an older row that is replayed, or in a backfill",
    },
  },
  {
    id: "S110",
    plants: "a run that has ended is opened again by a reset",
    edits: [
      {
        file: "activities/dependencies.ts",
        find: "  if (outcome === null) return;\n  const command",
        replace: "  if (outcome !== undefined) return;\n  const command",
      },
    ],
    test: { file: resetTest, title: "sends nothing and says what to do: failed" },
  },
  {
    id: "S111",
    plants: "a run that was reset stages again what is committed",
    edits: [
      {
        file: "activities/stage/stage-chunk.ts",
        find: "if (committed !== undefined) return stageResultOf(committed);",
        replace: "void [committed, stageResultOf];",
      },
    ],
    test: { file: resetTest, title: "continues after what is committed, and sends nothing twice" },
  },
  {
    id: "S112",
    plants: "a run that has staged continues although the checkpoint was moved",
    edits: [
      {
        file: "src/state/store/runs/runs.ts",
        find: "const ours = numUpdatedRows === 1n || !isMoving ?",
        replace:
          "if (numUpdatedRows !== 1n) return run;\n  const ours = numUpdatedRows === 1n || !isMoving ?",
      },
    ],
    test: {
      file: resetTest,
      title: "stops before anything leaves when the checkpoint was moved meanwhile",
    },
  },
  {
    id: "S113",
    plants: "a workflow keeps the lock of the run that it made before",
    edits: [
      {
        file: "src/state/store/runs/locks.ts",
        find: "found.firstRunId === firstRunId && found.runId === runId;",
        replace: "found.firstRunId === firstRunId;",
      },
    ],
    test: {
      file: resetTest,
      title: "takes the lock over from the run that it made before, which ends",
    },
  },
  {
    id: "S114",
    plants: "the time that an activity has taken is told by two machines' clocks",
    edits: [
      {
        file: "activities/failure.ts",
        find: "return currentAttemptScheduledTimestampMs - scheduledTimestampMs + attemptMs;",
        replace:
          "return Date.now() - scheduledTimestampMs + 0 * (currentAttemptScheduledTimestampMs + attemptMs);",
      },
    ],
    test: {
      file: "test/activities/failure.test.ts",
      title: "asks no clock of this machine, which may be hours from the server's: -2 h",
    },
  },
  {
    id: "S180",
    plants: "a backfill that is planned again keeps the lock that it sent with",
    edits: [
      {
        file: "activities/backfill/plan-backfill.ts",
        find: "if (fence === before?.fence) {",
        replace: "if (fence === Number.NaN && before !== undefined) {",
      },
    ],
    test: { file: resetTest, title: "lets the send lock go before a person is asked again" },
  },
  {
    id: "S181",
    plants: "a stalled attempt to plan a backfill takes the lock from the one that sends",
    edits: [
      {
        file: "activities/backfill/plan-backfill.ts",
        find: "if (fence === before?.fence) {",
        replace: "if (before !== undefined) {",
      },
    ],
    test: {
      file: resetTest,
      title: "keeps it when an attempt to plan was stalled, and ends while the backfill sends",
    },
  },
  {
    id: "S2118",
    plants: "a run of a pull stays of the configuration with which its opening failed",
    edits: [
      {
        file: "src/state/store/pull/pull-rounds.ts",
        find: "if ((await callsOf(queries, runId)) === 0) {",
        replace: "if ((await callsOf(queries, runId)) < 0) {",
      },
    ],
    test: {
      file: "test/activities/pull/open.test.ts",
      title: "is of the configuration with which it is opened again",
    },
  },
  {
    id: "S2132",
    plants: "an attempt to yield that stood still gives up what the backfill has staged since",
    edits: [
      {
        file: "src/state/store/runs/locks.ts",
        find: "if (fence !== undefined) releasing = ",
        replace: "if (fence === Number.NaN) releasing = ",
      },
    ],
    test: {
      file: resetTest,
      title: "keeps what it staged when an attempt to yield stood still meanwhile",
    },
  },
  {
    id: "S2222",
    plants: "sluice dev misses an edit of a mapping module that was made while it started",
    edits: [
      {
        file: "src/cli/serve/watch-config.ts",
        find: "=> theirs.get(path) ?? hash);",
        replace: "=> (theirs.size < 0 ? hash : hashOf(path)));",
      },
    ],
    test: {
      file: "test/src/cli/serve/watch-config.test.ts",
      title: "takes up a change of a mapping module that was made before it began to look",
    },
  },
  {
    id: "S2223",
    plants: "schedule apply does not say that no worker knows what it schedules",
    edits: [
      {
        file: "src/cli/schedule/schedule.ts",
        find: "if (agreed) return await sayWhoIsBehind(at, context, wantedSchedules(config));",
        replace: "if (agreed) return;",
      },
    ],
    test: {
      file: "test/src/cli/schedule/schedule.test.ts",
      title: "`schedule apply` and `trigger` say which worker does not know what is scheduled",
    },
  },
  {
    id: "S2224",
    plants: "a file that only grew and is away keeps the rejects of all others from being replayed",
    edits: [
      {
        file: "connectors/csv/get.ts",
        find: 'return names.map((where) => ({ where, code: "file_away", reason }));',
        replace: "if (names.length > 0) throw new SourceChangedError(reason);\n    return [];",
      },
    ],
    test: {
      file: "test/activities/stage/replay-pages.test.ts",
      title: "sends its rows once it is back, but over no newer one",
    },
  },
  {
    id: "S2225",
    plants: "an attempt that was given up closes rejects as superseded by rows that it never sent",
    edits: [
      {
        file: "src/state/store/rejects/replays.ts",
        find: "if (numUpdatedRows !== 1n) throw superseded(stage);",
        replace: "void numUpdatedRows;\n  void superseded;",
      },
    ],
    test: {
      file: "test/src/state/replays.test.ts",
      title:
        "leaves open what an attempt finds superseded that its successor has given up meanwhile",
    },
  },
  {
    id: "S2226",
    plants: "a replay that lost its lock says that a later run sends what it left",
    edits: [
      {
        file: "src/state/store/sends/stagings.ts",
        find: 'run?.kind === "backfill" || run?.kind === "replay"',
        replace: 'run?.kind === "backfill"',
      },
    ],
    test: {
      file: "test/src/state/replays.test.ts",
      title: "says that nobody sends what a replay left that lost its lock",
    },
  },
  {
    id: "S2227",
    plants: "a second receiver of one address is taken, and nothing of it but its `on` counts",
    edits: [
      {
        file: "src/config/schema/notify.ts",
        find: "taken.add(url.href);",
        replace: "taken.delete(url.href);",
      },
    ],
    test: {
      file: "test/src/config/schema/notify.test.ts",
      title: "refuses mistake 14",
    },
  },
  {
    id: "S2228",
    plants: "a connector that throws where a note is made ends the whole check",
    edits: [
      {
        file: "src/cli/project/check.ts",
        find: 'await sourceFinding("speed", sync.connection, async () => {',
        replace: 'await finding("speed", async () => {',
      },
    ],
    test: {
      file: "test/src/cli/project/check.test.ts",
      title:
        "says of a connector that cannot say how fast it reads what it threw, and notes the others",
    },
  },
];

import type { Mutant } from "../mutant.ts";

/** Bugs that reviewers found while the other tests were green, planted again. */
export const mutantsOfReviews: readonly Mutant[] = [
  {
    id: "S22",
    plants: "an attempt that was thought dead takes the chunk from its successor",
    edits: [
      {
        file: "src/state/store/sends/stagings.ts",
        find: "if (await isLate(queries, input)) throw attemptIsLate(runId, chunk);",
        replace: "void isLate;\n  void attemptIsLate;",
      },
    ],
    test: {
      file: "test/activities/stage/stage-chunk.test.ts",
      title: "leaves the chunk with its successor when an attempt wakes that was thought dead",
    },
  },
  {
    id: "S23",
    plants: "an outage that is just over is taken for a record that the service fails on",
    edits: [
      {
        file: "activities/upload/poison.ts",
        find: "if (times > poisonTimesMax) {",
        replace: "if (times >= poisonTimesMax) {",
      },
    ],
    test: {
      file: "test/faults/poison.test.ts",
      title: "is not taken for one when the outage that it met is just over",
    },
  },
  {
    id: "S24",
    plants: "what a zombie got through leaves newer fingerprints as they are",
    edits: [
      {
        file: "src/state/store/doubts/doubts.ts",
        find: "if (before.length === 0 && !isKnown) return;",
        replace: "if (before.length < 1e9 || !isKnown) return;",
      },
    ],
    test: {
      file: "test/activities/doubt/superseded.test.ts",
      title: "makes everything unknown when it wakes after its last look",
    },
  },
  {
    id: "S25",
    plants: "a run begins where the last one ended, whatever came late",
    edits: [
      {
        file: "connectors/run-range.ts",
        find: "if (source.rewind === undefined) {",
        replace: "if (source.rewind !== null) {",
      },
    ],
    test: {
      file: "test/activities/postgres/postgres-sync.test.ts",
      title: "finds a row that was stamped before the last run and committed after it",
    },
  },
  {
    id: "S26",
    plants: "a transaction that was open when the last run began is forgotten",
    edits: [
      {
        file: "connectors/run-range.ts",
        find: "oldestOpen: oldestOpen.data ?? undefined",
        replace: "oldestOpen: undefined",
      },
    ],
    test: {
      file: "test/activities/postgres/postgres-sync.test.ts",
      title: "goes back to a transaction that was open longer than the overlap is",
    },
  },
  {
    id: "S27",
    plants: "a run reads beyond its read limit",
    edits: [
      {
        file: "activities/stage/stage-chunk.ts",
        find: "to: drawn.to ?? undefined",
        replace: "to: undefined",
      },
    ],
    test: {
      file: "test/activities/postgres/postgres-sync.test.ts",
      title: "leaves a row that is stamped in the future until its time, and counts it",
    },
  },
  {
    id: "S28",
    plants: "the checkpoint stays at the last row, however long nothing changes",
    edits: [
      {
        file: "connectors/postgres/read.ts",
        find: "if (position !== undefined) yield",
        replace: "if (position === null) yield",
      },
    ],
    test: {
      file: "test/activities/postgres/postgres-sync.test.ts",
      title: "does not go further back with each night in which nothing changed",
    },
  },
  {
    id: "S29",
    plants: "a replay moves the checkpoint",
    edits: [
      {
        file: "src/state/store/sends/commit.ts",
        find: '["replay", "backfill", "resend"]',
        replace: '["backfill", "resend"]',
      },
    ],
    test: {
      file: "test/src/state/replays.test.ts",
      title: "marks with a chunk's commit the rejects that it took, and moves no checkpoint",
    },
  },
  {
    id: "S30",
    plants: "a read waits for ever when its connection ends after the last row",
    edits: [
      {
        file: "connectors/postgres/client.ts",
        find: "await Promise.race([work, ended.promise])",
        replace: "await work",
      },
    ],
    test: {
      file: "test/connectors/postgres/client.test.ts",
      title:
        "hears of an end that comes when all rows are there and the server has not said that it is ready",
    },
  },
  {
    id: "S31",
    plants: "a read limit is finer than the times of its column",
    edits: [
      {
        file: "connectors/postgres/read-limit.ts",
        find: "modifier < 0 ? type",
        replace: "modifier < 7 ? type",
      },
    ],
    test: {
      file: "test/connectors/postgres/read-limit.test.ts",
      title: "passes by no row of a column that rounds its times",
    },
  },
  {
    id: "S32",
    plants: "a column that goes in the midst of a run is a field left out",
    edits: [
      {
        file: "activities/stage/stage-chunk.ts",
        find: "await checkColumns(source, sync, how);\n        const written",
        replace: "void checkColumns;\n        const written",
      },
      {
        file: "activities/stage/stage-chunk.ts",
        find: "await checkColumns(source, sync, how);\n        return written;",
        replace: "void how;\n        return written;",
      },
    ],
    test: {
      file: "test/activities/postgres/postgres-sync.test.ts",
      title: "stops when a column that the mapping reads goes in its midst",
    },
  },
  {
    id: "S33",
    plants: "a standby that lags is read up to its clock",
    edits: [
      {
        file: "connectors/postgres/read-limit.ts",
        find: "case when pg_is_in_recovery()",
        replace: "case when false",
      },
    ],
    test: {
      file: "test/connectors/postgres/read-limit.test.ts",
      title: "reads a standby no further than it has followed its primary",
    },
  },
  {
    id: "S1916",
    plants: "the id of a verification's notification is one that receivers refuse",
    edits: [
      {
        file: "src/notify/verified-message.ts",
        find: "id: `verify_${look}`",
        replace: "id: `verify_${look}_${at}`",
      },
    ],
    test: {
      file: "test/src/notify/verified-message.test.ts",
      title: "has an id that receivers take, and one of its own for each look",
    },
  },
  {
    id: "S1917",
    plants: "a receiver that asks for a day is given up after one try",
    edits: [
      {
        file: "src/notify/notifier.ts",
        find: "Math.min(hintMs, notifyRetryAfterMsMax)",
        replace: "Math.max(hintMs, 0 * notifyRetryAfterMsMax)",
      },
    ],
    test: {
      file: "test/src/notify/notifier.test.ts",
      title: "waits an hour at most, so that tries are left",
    },
  },
  {
    id: "S1918",
    plants: "a server that cannot listen at SLUICE_HOST is told as a fault of the state folder",
    edits: [
      {
        file: "src/local/ports.ts",
        find: "    throw listenFault(ip, error);\n  }\n}\n\n/**\n * Starts",
        replace: "    throw error;\n  }\n}\n\n/**\n * Starts",
      },
    ],
    test: {
      file: "test/src/local/ports.test.ts",
      title: "names SLUICE_HOST, not the state folder, where it cannot listen",
    },
  },
  {
    id: "S1947",
    plants: "a message to Slack is cut within a character",
    edits: [
      {
        file: "src/notify/message.ts",
        find: '.replace(/\\p{Surrogate}$/u, "")',
        replace: "",
      },
    ],
    test: {
      file: "test/src/notify/message.test.ts",
      title: "is not cut within a character",
    },
  },
  {
    id: "S1948",
    plants: "a worker takes an empty id for that of its host",
    edits: [
      {
        file: "src/staging/host-id.ts",
        find: "if (/^\\w/.test(id)) return id;",
        replace: "if (id !== undefined) return id;",
      },
    ],
    test: {
      file: "test/src/staging/host-id.test.ts",
      title: "refuses what a power cut left of an id",
    },
  },
  {
    id: "S1949",
    plants: "a chunk waits for a staging thread that a mapping module ended while it was idle",
    edits: [
      {
        file: "activities/stage/stage-threads.ts",
        find: '    thread.once("exit", drop);\n',
        replace: "",
      },
    ],
    test: {
      file: "test/faults/own-side.test.ts",
      title: "that a mapping module ends between two jobs is given no job",
    },
  },
];

import type { Mutant } from "../mutant.ts";

const orderTest = "test/activities/replay-order.test.ts";
const resetTest = "test/activities/reset.test.ts";

/** What comes late: rows that are replayed, runs that are reset. */
export const mutantsOfLate: readonly Mutant[] = [
  {
    id: "S51",
    plants: "a key in doubt counts as known",
    edits: [
      {
        file: "src/state/fingerprints.ts",
        find: "set.isDoubted?.(key) !== true;",
        replace: "set.isDoubted !== null;",
      },
    ],
    test: {
      file: doubtTest,
      title: "is overwritten once more when it is applied behind the next run: answer lost",
    },
  },
  {
    id: "S190",
    plants: "a key in doubt waits for a request that is forgotten",
    edits: [
      {
        file: "src/state/doubt-store.ts",
        find: "max(request in (select value from json_each($landing))) = 0",
        replace:
          "max(request in (select value from json_each($landing)) or request not in (select request from requests)) = 0",
      },
    ],
    test: {
      file: doubtTest,
      title: "is settled once when it ends refused, after the next run has left",
    },
  },
  {
    id: "S191",
    plants: "a process of another container is taken for the one whose number it has",
    edits: [
      {
        file: "activities/settle-doubts.ts",
        find: "!beats.some(({ name }) => name === process)",
        replace: '!beats.some((beat) => beat.process === process.split(" ")[2])',
      },
    ],
    test: {
      file: doubtTest,
      title: "ends with its process, also where one of another container has its number",
    },
  },
  {
    id: "S192",
    plants: "a resend that was done and changed nothing is made again at once",
    edits: [
      {
        file: "workflows/rests.ts",
        find: "due > 0 && due >= before.due ? failuresBefore + 1 : 0",
        replace: "due > before.due ? failuresBefore + 1 : 0",
      },
    ],
    test: {
      file: "test/workflows/rests.test.ts",
      title: "goes on at once where a run has helped, and waits longer and longer where none does",
    },
  },
  {
    id: "S193",
    plants: "a resend asks for the source that it does not read",
    edits: [
      {
        file: "activities/stage-chunk.ts",
        find: "const needsSource = job.doubts?.isAlone !== true;",
        replace: "const needsSource = job.doubts?.isAlone !== null;",
      },
    ],
    test: { file: linesTest, title: "are sent although their source is away" },
  },
  {
    id: "S194",
    plants: "a worker that starts leaves what is in doubt",
    edits: [
      {
        file: "activities/close-abandoned.ts",
        find: "  await resumeResends(deps);\n",
        replace: "  if (resumeResends.length > 9) await resumeResends(deps);\n",
      },
    ],
    test: {
      file: linesTest,
      title:
        "are sent when a worker starts, or a sweep comes by, although the workflow for it is gone",
    },
  },
  {
    id: "S52",
    plants: "an aborted request was not applied",
    edits: [
      {
        file: "activities/leaving.ts",
        find: "hasLeft && (signal.aborted || mayBeApplied(error) || !(error instanceof SluiceError)),",
        replace:
          "hasLeft && !signal.aborted && error instanceof SluiceError && mayBeApplied(error),",
      },
    ],
    test: {
      file: doubtTest,
      title: "is overwritten once more when it is applied behind the next run: aborted before",
    },
  },
  {
    id: "S53",
    plants: "the clock alone says that an attempt without an end is over",
    edits: [
      {
        file: "src/state/requests.ts",
        find: "lasts_ms)\n     values ($setId, $stream, $send, $part, $attempt, $process, $bootId, $since, $sinceWall, $deadlineMs, $restMs, 0)",
        replace:
          "lasts_ms, is_open)\n     values ($setId, $stream, $send, $part, $attempt, $process, $bootId, $since, $sinceWall, $deadlineMs, $restMs, $deadlineMs + $restMs, 0)",
      },
    ],
    test: {
      file: doubtTest,
      title: "is asked for as long as its process lives, and has not said how it ended",
    },
  },
  {
    id: "S54",
    plants: "a later chunk of a run is never in doubt because of an earlier one",
    edits: [
      {
        file: "src/state/doubts.ts",
        find: "return !(isOnItsWay && request.runId === runId);",
        replace: "return !isOnItsWay && request.runId !== runId;",
      },
    ],
    test: { file: doubtTest, title: "may be applied behind a later chunk of its own run" },
  },
  {
    id: "S55",
    plants: "a request leaves however long ago it was noted",
    edits: [
      {
        file: "activities/leaving.ts",
        find: "if (ms > leaveMsMax) {",
        replace: "if (ms > leaveMsMax * 1e9) {",
      },
    ],
    test: { file: linesTest, title: "does not leave at all when the machine slept meanwhile" },
  },
  {
    id: "S56",
    plants: "the lines of what is in doubt go with the files of their run",
    edits: [
      {
        file: "src/state/doubt-store.ts",
        find: "all(stageRow, kept, { runId }),",
        replace: "all(stageRow, kept, { runId }).slice(0, 0),",
      },
    ],
    test: {
      file: linesTest,
      title: "stay when the files of their run are removed, and go once they are sent",
    },
  },
  {
    id: "S57",
    plants: "keys that no later run makes are not named",
    edits: [
      {
        file: "src/state/settling.ts",
        find: "        for (const key of keys) add.run({ setId, key, runId });\n",
        replace: "        void add;\n",
      },
    ],
    test: {
      file: linesTest,
      title: "are counted in the report, and named for who asks, until one makes them",
    },
  },
  {
    id: "S58",
    plants: "rejects of a chunk are all as old as its first row",
    edits: [
      {
        file: "src/state/open-rejects.ts",
        find: '${ageSql("s.send", "r.row_number")}',
        replace: '${ageSql("s.send", "0")}',
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
        file: "src/state/fingerprints.ts",
        find: "const isHeld = knownSeen > 0 && isAccepted(factsOf(sendOf(knownSeen)));",
        replace: "const isHeld = knownSeen > 0;",
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
        file: "src/state/fingerprints.ts",
        find: "const isHeld = knownSeen > 0 && isAccepted(factsOf(sendOf(knownSeen)));",
        replace: 'const isHeld = factsOf(sendOf(knownSeen))?.state === "committed";',
      },
    ],
    test: {
      file: "test/src/state/fingerprints.test.ts",
      title:
        "keeps what was accepted of a chunk that was cut from an older row that is replayed, or in a backfill",
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
        file: "activities/stage-chunk.ts",
        find: "if (committed !== undefined) return committedResult(committed);",
        replace: "void [committed, committedResult];",
      },
    ],
    test: { file: resetTest, title: "goes on behind what is committed, and sends nothing twice" },
  },
  {
    id: "S112",
    plants: "a run that has staged goes on although the checkpoint was moved",
    edits: [
      {
        file: "src/state/runs.ts",
        find: "const ours = changes === 1 || !isMoving ?",
        replace: "if (changes !== 1) return run;\n  const ours = changes === 1 || !isMoving ?",
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
        file: "src/state/locks.ts",
        find: "found.firstRunId === input.firstRunId && found.runId === input.runId;",
        replace: "found.firstRunId === input.firstRunId;",
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
        file: "activities/plan-backfill.ts",
        find: "if (opened.fence === before?.fence) {",
        replace: "if (opened.fence === Number.NaN && before !== undefined) {",
      },
    ],
    test: { file: resetTest, title: "lets the send lock go before a person is asked again" },
  },
  {
    id: "S181",
    plants: "a stalled attempt to plan a backfill takes the lock from the one that sends",
    edits: [
      {
        file: "activities/plan-backfill.ts",
        find: "if (opened.fence === before?.fence) {",
        replace: "if (before !== undefined) {",
      },
    ],
    test: {
      file: resetTest,
      title: "keeps it when an attempt to plan was stalled, and ends while the backfill sends",
    },
  },
];

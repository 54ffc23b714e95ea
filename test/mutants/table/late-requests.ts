import type { Mutant } from "../mutant.ts";

const doubtTest = "test/activities/doubt/doubt.test.ts";
const linesTest = "test/activities/doubt/doubt-lines.test.ts";

/** Requests that may be applied after newer ones, and what is therefore sent once more. */
export const mutantsOfLateRequests: readonly Mutant[] = [
  {
    id: "S51",
    plants: "a key in doubt counts as known",
    edits: [
      {
        file: "src/state/rules/keys/judge.ts",
        find: "set.isDoubted?.(index) !== true",
        replace: "set.isDoubted !== null",
      },
    ],
    test: {
      file: doubtTest,
      title: "is overwritten once more when it is applied after the next run: answer lost",
    },
  },
  {
    id: "S190",
    plants: "a key in doubt waits for a request that is forgotten",
    edits: [
      {
        file: "src/state/store/doubts/doubt-store.ts",
        find: "case when request in ${integersOf(queries, numbers)} then 1",
        replace:
          "case when request in ${integersOf(queries, numbers)} or request not in (select " +
          "request from requests) then 1",
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
        file: "activities/run/settle-doubts.ts",
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
        file: "workflows/backoff.ts",
        find: "due > 0 && due >= before.due ? failuresBefore + 1 : 0",
        replace: "due > before.due ? failuresBefore + 1 : 0",
      },
    ],
    test: {
      file: "test/workflows/backoff.test.ts",
      title:
        "continues at once where a run has helped, and waits longer and longer where none does",
    },
  },
  {
    id: "S193",
    plants: "a resend asks for the source that it does not read",
    edits: [
      {
        file: "activities/stage/stage-chunk.ts",
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
        file: "activities/run/close-abandoned.ts",
        find: "  await resumeResends(deps);\n",
        replace: "  if (resumeResends.length > 9) await resumeResends(deps);\n",
      },
    ],
    test: {
      file: linesTest,
      title:
        "are sent when a worker starts, or a check comes by, although the workflow for it is gone",
    },
  },
  {
    id: "S52",
    plants: "an aborted request was not applied",
    edits: [
      {
        file: "activities/upload/leaving.ts",
        find: "hasLeft && (signal.aborted || mayHaveSucceeded(error) || !(error instanceof SluiceError)),",
        replace:
          "hasLeft && !signal.aborted && error instanceof SluiceError && mayHaveSucceeded(error),",
      },
    ],
    test: {
      file: doubtTest,
      title: "is overwritten once more when it is applied after the next run: aborted before",
    },
  },
  {
    id: "S53",
    plants: "the clock alone says that an attempt without an end is over",
    edits: [
      {
        file: "src/state/store/doubts/requests.ts",
        find: "lastsMs: 0, ...momentColumns(now) })",
        replace: "lastsMs: deadlineMs + restMs, isOpen: 0, ...momentColumns(now) })",
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
        file: "src/state/store/doubts/doubts.ts",
        find: "return !(isOnItsWay && request.runId === runId);",
        replace: "return !isOnItsWay && request.runId !== runId;",
      },
    ],
    test: { file: doubtTest, title: "may be applied after a later chunk of its own run" },
  },
  {
    id: "S55",
    plants: "a request leaves however long ago it was noted",
    edits: [
      {
        file: "activities/upload/leaving.ts",
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
        file: "src/state/store/doubts/doubt-store.ts",
        find: '    .where("s.runId", "=", runId)\n',
        replace: '    .where("s.runId", "=", runId.slice(0, 0))\n',
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
        file: "src/state/store/doubts/settling.ts",
        find: "    for (const key of keys) {\n      await queries",
        replace: "    for (const key of [...keys].slice(keys.size)) {\n      await queries",
      },
    ],
    test: {
      file: linesTest,
      title: "are counted in the report, and named for who asks, until one makes them",
    },
  },
  {
    id: "S145",
    plants: "what a process may have sent that is gone stays open for ever",
    edits: [
      {
        file: "activities/run/settle-doubts.ts",
        find: "if (await isGone(deps, process)) await state.endSender({ process, now: clock() });",
        replace: "if (await isGone(deps, process)) continue;",
      },
    ],
    test: {
      file: "test/crash/doubt.test.ts",
      title:
        "sets right what an older request overwrote, wherever the run that does is killed a second time",
    },
  },
  {
    id: "S2116",
    plants: "a page is written by a host that slept nearly as long as Temporal waits for it",
    edits: [
      {
        file: "activities/pull/write.ts",
        find: "Math.min(leaveMsMax, config.advanced.heartbeatTimeoutMs / 2)",
        replace: "config.advanced.heartbeatTimeoutMs",
      },
    ],
    test: {
      file: "test/activities/pull/slept-host.test.ts",
      title: "a host that slept writes no page: 29 s of 30s",
    },
  },
];

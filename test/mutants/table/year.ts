import type { Mutant } from "../mutant.ts";

const dropChunk = "activities/stage/drop-chunk.ts";
const traces = "src/local/traces.ts";
const tracesTest = "test/src/local/traces.test.ts";
const templates = "src/local/templates.ts";
const templatesTest = "test/src/local/templates.test.ts";
const scheduleState = "src/schedules/schedule-state.ts";
const scheduleStatesTest = "test/src/schedules/schedule-states.test.ts";
const manyTitle =
  "reads many from the list, and asks for those alone that it lacks or that had left the file";
const dropChunkTest = "test/activities/stage/drop-chunk.test.ts";

/** Mutants of what must not accumulate while a project runs for a year. */
export const mutantsOfYear: readonly Mutant[] = [
  {
    id: "S1370",
    plants: "files that an attempt leaves behind its run's end stay until a worker starts",
    edits: [
      {
        file: dropChunk,
        find: "cleaning = cleanUpEnded(deps)",
        replace: "cleaning = Promise.resolve()",
      },
    ],
    test: {
      file: dropChunkTest,
      title: "go, too, where they come once the run has ended, while a worker lives",
    },
  },
  {
    id: "S1371",
    plants: "a worker that cleans up removes the files of a run that is open",
    edits: [{ file: dropChunk, find: "return run.endedAt !== null;", replace: "return true;" }],
    test: {
      file: dropChunkTest,
      title: "leaves the files of a run that is open, and all that is not a run's",
    },
  },
  {
    id: "S1372",
    plants: "files of a run that was pruned stay for ever",
    edits: [
      {
        file: dropChunk,
        find: "return (await untouchedMs(stagingFolder, runId)) > hostForgottenMs;",
        replace: "return false;",
      },
    ],
    test: {
      file: dropChunkTest,
      title:
        "removes those of a run that the store does not know, a day after they were touched last",
    },
  },
  {
    id: "S1373",
    plants: "the staged file of a line that the service refused is kept, though nobody sends it",
    edits: [
      {
        file: "src/state/store/doubts/doubt-store.ts",
        find: 'eb.and([eb("s.send", "=", eb.ref("d.send")), eb("d.isLost", "=", 0)]),',
        replace: 'eb("s.send", "=", eb.ref("d.send")),',
      },
    ],
    test: {
      file: "test/activities/doubt/refused-again.test.ts",
      title:
        "does not stop a run for a record in doubt that the service refuses by now, and says which it is",
    },
  },
  {
    id: "S1374",
    plants: "each activity of a run begins a trace of its own",
    edits: [
      { file: traces, find: "if (runId === undefined)", replace: "if (runId !== undefined)" },
    ],
    test: {
      file: tracesTest,
      title:
        "a run is one trace: itself, its activities in it, and their requests in them, without a row or a key",
    },
  },
  {
    id: "S1375",
    plants: "the span of a request that fails holds the address that it went to",
    edits: [
      {
        file: traces,
        find: 'const message = error instanceof SluiceError ? error.code : "Unexpected";',
        replace: "const message = String(error);",
      },
    ],
    test: { file: tracesTest, title: "a request without an answer says its code alone" },
  },
  {
    id: "S1376",
    plants: "the time line draws a step backwards where a later attempt ended last",
    edits: [
      {
        file: "src/cli/ui/charts.ts",
        find: "const to = Math.max(from, at);",
        replace: "const to = at;",
      },
    ],
    test: {
      file: "test/src/cli/ui/charts.test.ts",
      title:
        "draws nothing backwards where a later attempt was uploaded once the part was accepted",
    },
  },
  {
    id: "S1377",
    plants: "a part that is tried again looks as if it had waited until then",
    edits: [
      {
        file: "src/state/store/sends/receipts.ts",
        find: "leftAt: sql<number>`coalesce(left_at, ${Date.parse(at)})`,",
        replace: "leftAt: Date.parse(at),",
      },
    ],
    test: {
      file: "test/src/state/store/figures.test.ts",
      title:
        "tell when a part left first, was uploaded and was accepted, however often it was tried",
    },
  },
  {
    id: "S1530",
    plants: "a worker that starts waits for all of its templates",
    edits: [
      {
        file: templates,
        find: "await inTime(Promise.all(underWay), waitMsMax);",
        replace: "await Promise.all(underWay);",
      },
    ],
    test: {
      file: templatesTest,
      title: "many keep a worker that starts for a second, and all of them follow, some at a time",
    },
  },
  {
    id: "S1531",
    plants: "a worker that starts says so before the id of any template is free",
    edits: [
      { file: templates, find: "await inTime(Promise.all(underWay), waitMsMax);", replace: "" },
    ],
    test: {
      file: templatesTest,
      title: "a few are there, and their ids free, before a worker that starts says so",
    },
  },
  {
    id: "S1532",
    plants: "a worker that stops begins further templates",
    edits: [
      {
        file: templates,
        find: "    if (closed !== undefined) return;\n    const work",
        replace: "    const work",
      },
    ],
    test: {
      file: templatesTest,
      title: "a worker that stops begins no more",
    },
  },
  {
    id: "S1533",
    plants: "a worker stops beside templates that it began and nobody ends",
    edits: [
      {
        file: templates,
        find: "closed ??= inTime(Promise.all(underWay), closeMsMax);",
        replace: "closed ??= Promise.resolve();",
      },
    ],
    test: {
      file: templatesTest,
      title: "a worker that stops waits for those that it began",
    },
  },
  {
    id: "S1534",
    plants: "a worker that stops warns of the templates that it gave up",
    edits: [
      {
        file: templates,
        find: "      if (closed !== undefined) return;\n      const text",
        replace: "      const text",
      },
    ],
    test: {
      file: templatesTest,
      title: "those that nothing ends keep a worker that stops for a second, without a warning",
    },
  },
  {
    id: "S1535",
    plants: "Temporal is asked for each of many schedules",
    edits: [
      {
        file: scheduleState,
        find: "const isFew = names.length <= schedulesDescribedMax;",
        replace: "const isFew = names.length > 0;",
      },
    ],
    test: { file: scheduleStatesTest, title: manyTitle },
  },
  {
    id: "S1536",
    plants: "of many, a schedule that apply resumed is shown as paused until the list has it",
    edits: [
      {
        file: scheduleState,
        find: ' && !(found.kind === "paused" && found.note === leftNote)',
        replace: "",
      },
    ],
    test: { file: scheduleStatesTest, title: manyTitle },
  },
  {
    id: "S1537",
    plants: "a schedule that was just paused is read from the list, which does not have that yet",
    edits: [
      {
        file: scheduleState,
        find: "const isFew = names.length <= schedulesDescribedMax;",
        replace: "const isFew = names.length < 0;",
      },
    ],
    test: {
      file: scheduleStatesTest,
      title: "asks for each of a few, as what a command just did must show",
    },
  },
  {
    id: "S1538",
    plants: "pause and resume do not wait for the list",
    edits: [
      {
        file: scheduleState,
        find: "if (found.scheduleId === id) return found.state.paused === paused;",
        replace: "if (found.scheduleId === id) return paused || !paused;",
      },
    ],
    test: {
      file: scheduleStatesTest,
      title: "waits until the list has a pause, and the end of one",
    },
  },
  {
    id: "S1539",
    plants: "after one that failed, the others are begun all the same",
    edits: [
      {
        file: "src/schedules/each-at-once.ts",
        find: "for (const item of left) await work(item);",
        replace:
          "for (let next = left.next(); next.done !== true; next = left.next()) await work(next.value);",
      },
    ],
    test: {
      file: "test/src/schedules/each-at-once.test.ts",
      title: "begins no further one once one has failed",
    },
  },
];

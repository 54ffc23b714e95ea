import type { Mutant } from "../mutant.ts";

const stateTest = "test/src/state/backfills.test.ts";

/** Mutants of backfills: their lanes, their lock, their plans. */
export const mutantsOfBackfills: readonly Mutant[] = [
  {
    id: "S44",
    plants: "a backfill moves the nightly checkpoint",
    edits: [
      {
        file: "src/state/store/sends/commit.ts",
        find: '["replay", "backfill", "resend"]',
        replace: '["replay", "resend"]',
      },
    ],
    test: {
      file: stateTest,
      title:
        "commits lanes beside each other, each in its own order, and leaves the checkpoint alone",
    },
  },
  {
    id: "S45",
    plants: "a chunk that is staged again takes other lanes' chunks with it",
    edits: [
      {
        file: "src/state/store/sends/stagings.ts",
        find: "await dropStagings(queries, { runId, from: chunk, last });",
        replace: "await dropStagings(queries, { runId, from: chunk });",
      },
    ],
    test: {
      file: stateTest,
      title: "gives up a lane's own chunks alone when one of them is staged again",
    },
  },
  {
    id: "S46",
    plants: "a backfill takes its lock back before the run that waits for it",
    edits: [
      {
        file: "src/state/store/runs/locks.ts",
        find: 'if (waiting !== null && kind === "backfill") return { holder: waiting };',
        replace: "",
      },
    ],
    test: {
      file: stateTest,
      title: "is wanted of a backfill alone, and goes to the one that waits first",
    },
  },
  {
    id: "S47",
    plants: "a backfill without an end reads rows that change while it runs",
    edits: [
      {
        file: "src/backfill/span.ts",
        find: 'to: present ?? (await positionOf(input, "to"))',
        replace: 'to: await positionOf(input, "to")',
      },
    ],
    test: {
      file: "test/backfill/open-span.test.ts",
      title:
        "ends at the source's present, so that no lane meets a row again that changes meanwhile",
    },
  },
  {
    id: "S48",
    plants: "rows of one key are sent by two lanes at once where the later must win",
    edits: [
      {
        file: "src/backfill/span.ts",
        find: 'return sync.send === "all" || sync.duplicateKeys === "send";',
        replace: "return false;",
      },
    ],
    test: {
      file: "test/backfill/open-span.test.ts",
      title: "has one lane where a key may come twice and the later must win: send: all",
    },
  },
  {
    id: "S1630",
    plants: "a backfill leaves out rows that are stamped in the future, and does not say so",
    edits: [
      {
        file: "src/backfill/span.ts",
        find: "future: readLimit?.future",
        replace: "future: undefined",
      },
    ],
    test: {
      file: "test/activities/postgres/postgres-backfill.test.ts",
      title:
        "says which rows of a span without an end it leaves out, because they are stamped in the future",
    },
  },
  {
    id: "S1895",
    plants: "a backfill goes beyond an end that comes between plan and consent",
    edits: [
      {
        file: "activities/backfill/open-backfill.ts",
        find: "present: new Date(deps.now()) };",
        replace: "present: now };",
      },
    ],
    test: {
      file: "test/activities/postgres/postgres-backfill.test.ts",
      title: "ends where it was said to, also where that time has come between plan and consent",
    },
  },
  {
    id: "S1939",
    plants: "one who typed options is told to leave out members of a form",
    edits: [
      {
        file: "src/cli/backfill/input.ts",
        find: "members.includes(member) ? optionOf(member) : said",
        replace: "said",
      },
    ],
    test: {
      file: "test/src/cli/backfill/input.test.ts",
      title:
        "names members as the options that stand for them, and leaves what is quoted otherwise",
    },
  },
  {
    id: "S2042",
    plants: "a backfill whose plan has moved takes the days of its input as of the new plan",
    edits: [
      {
        file: "activities/backfill/plan-backfill.ts",
        find: "before === undefined ? present : asOf(before.plan)",
        replace: "present",
      },
    ],
    test: {
      file: "test/activities/postgres/postgres-backfill.test.ts",
      title: "means the same days when its plan has moved and is made again a day later",
    },
  },
  {
    id: "S2043",
    plants: "a share of a number is what a binary fraction makes of it",
    edits: [
      {
        file: "src/text/quantities.ts",
        find: "Number((share * of).toPrecision(12))",
        replace: "share * of",
      },
    ],
    test: {
      file: "test/src/guardrails/guardrails.test.ts",
      title: "takes a percentage for what is written, not for its nearest binary fraction",
    },
  },
  {
    id: "S2044",
    plants: "a chunk of lines that nobody judges does not know how slowly its source began",
    edits: [
      {
        file: "src/pipeline/chunk-budget.ts",
        find:
          "      // Where no line is judged, no page enters before it leaves.\n" +
          "      beganMs ??= now() - startedAt;\n",
        replace: "",
      },
    ],
    test: {
      file: "test/src/pipeline/chunk-budget.test.ts",
      title: "is as patient with a source that begins slowly where no line is judged",
    },
  },
  {
    id: "S2045",
    plants: "a backfill that read no row does not say that its checkpoint was not moved",
    edits: [
      {
        file: "activities/run/advance-checkpoint.ts",
        find: "if (position !== null && isDeepStrictEqual(before.position, position)) return {};",
        replace: "if (isDeepStrictEqual(before.position, position)) return {};",
      },
    ],
    test: {
      file: "test/activities/postgres/postgres-numbers.test.ts",
      title: "says that the checkpoint was not moved where there was no row, or a run came first",
    },
  },
  {
    id: "S2046",
    plants: "a backfill names the option of a reason as its member is called",
    edits: [
      {
        file: "src/cli/backfill/input.ts",
        find: "memberOptions.find(([, named]) => named === member)?.[0] ?? member",
        replace: "member",
      },
    ],
    test: {
      file: "test/src/cli/backfill/input.test.ts",
      title: "says every problem at its option, with a command line that has none",
    },
  },
  {
    id: "S1944",
    plants: "a backfill whose file was replaced says to reset the sync",
    edits: [
      {
        file: "activities/stage/stage-chunk.ts",
        find: 'run.kind !== "backfill" ||',
        replace: 'run.kind === "backfill" ||',
      },
    ],
    test: {
      file: "test/activities/stage/stage-chunk.test.ts",
      title: "a backfill whose file was replaced says to begin it again, and not to reset its sync",
    },
  },
  {
    id: "S1945",
    plants: "preview takes a state folder that it may not look into for one without anything sent",
    edits: [
      {
        file: "src/cli/run/mapped-rows.ts",
        find: "statSync(file, { throwIfNoEntry: false })",
        replace: "undefined",
      },
    ],
    test: {
      file: "test/src/cli/run/preview.test.ts",
      title: "takes a state folder that nobody can look into for none that is empty",
    },
  },
  {
    id: "S2068",
    plants: "a checkpoint is moved over a transaction that began while its backfill was planned",
    edits: [
      {
        file: "src/backfill/span.ts",
        find: "if (request.advanceCheckpoint) assertNothingIsOpen(readLimit);",
        replace: "",
      },
    ],
    test: {
      file: "test/backfill/open-span.test.ts",
      title: "is not planned to move the checkpoint where a transaction was open",
    },
  },
  {
    id: "S2069",
    plants: "the lanes of a backfill are set while it is planned, which then changes nothing",
    edits: [
      {
        file: "workflows/backfill/backfill-view.ts",
        find: 'if (this.state.phase === "planning") throw refusal(notReadyText);',
        replace: "",
      },
    ],
    test: {
      file: "test/workflows/backfill/backfill.test.ts",
      title: "refuses what cannot be done in its phase, and says why",
    },
  },
  {
    id: "S2160",
    plants: "Temporal is not asked about a backfill, so that status does not say what it waits for",
    edits: [
      {
        file: "src/cli/status/look.ts",
        find: "|| isBackfillAt(run, targetOf(config.api))",
        replace: "",
      },
    ],
    test: {
      file: "test/src/cli/status/look.test.ts",
      title: "says of a backfill what it waits for, or that nobody continues with it",
    },
  },
];

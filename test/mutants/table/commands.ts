import type { Mutant } from "../mutant.ts";

/** Mutants of the commands and of what they start: first contact, and unhealthy machines. */
export const mutantsOfCommands: readonly Mutant[] = [
  {
    id: "S90",
    plants: "a state folder that nothing can hold is made for ever",
    edits: [
      {
        file: "src/security/private-file.ts",
        find: "  if (!existsSync(dirname(path))) makePrivateFolder(dirname(path));",
        replace: "  mkdirSync(path, { recursive: true });",
      },
    ],
    test: {
      file: "test/src/state/state-fault.test.ts",
      title: "comes to an end where a folder that is there can hold no other",
    },
  },
  {
    id: "S91",
    plants: "a server outlives its last user on a disk that takes no lock",
    edits: [
      {
        file: "src/local/shared-service.ts",
        find: "async () => await leave(file, user.id),\n      );",
        replace: "() => undefined,\n      );",
      },
    ],
    test: {
      file: "test/src/local/shared-service.test.ts",
      title: "ends the server with its last user where nothing can be locked or written any more",
    },
  },
  {
    id: "S93",
    plants: "check does not look for the columns of a mapping",
    edits: [
      {
        file: "src/cli/project/check.ts",
        find: "await checkColumns(source, sync, { signal, mayName: true });",
        replace: "connectorOf({ sources }, source.name);",
      },
    ],
    test: {
      file: "test/src/cli/project/check.test.ts",
      title: "looks for the columns that a mapping reads, as a run will",
    },
  },
  {
    id: "S94",
    plants: "a pull pays before it looks whether it can write",
    edits: [
      {
        file: "activities/pull/open.ts",
        find: "await checkWriteBack(deps, pull, signal);",
        replace: "signal.throwIfAborted();",
      },
    ],
    test: {
      file: "test/activities/pull/write.test.ts",
      title: "is not begun, and nothing paid, while its table cannot be written",
    },
  },
  {
    id: "S95",
    plants: "init takes a column that repeats for the key",
    edits: [
      {
        file: "src/cli/project/init-plan.ts",
        find: "      assertNames(sample, column);\n",
        replace: "",
      },
    ],
    test: {
      file: "test/src/cli/project/sample.test.ts",
      title: "refuses a key that repeats and a column without domains, with the count",
    },
  },
  {
    id: "S96",
    plants: "discover proposes numbers for a type that no JSON number carries",
    edits: [
      {
        file: "src/cli/project/suggest-sync.ts",
        find: '(type === "number" || type === "json") && isWide(note)',
        replace: 'type === "json" && isWide(note)',
      },
    ],
    test: {
      file: "test/src/cli/project/discover.test.ts",
      title: "prints syncs for tables that can be pasted as they are",
    },
  },
  {
    id: "S92",
    plants: "a full disk is no reason to exit with 2",
    edits: [
      {
        file: "src/cli/output/exit-code.ts",
        find: "exitCodes.unreachable : exitCodes.usage;",
        replace: "exitCodes.unreachable : exitCodes.failed;",
      },
    ],
    test: {
      file: "test/src/state/state-fault.test.ts",
      title: "says of a full disk how many bytes are free",
    },
  },
  {
    id: "S160",
    plants: "rejects of before the whole source was read again stay open",
    edits: [
      {
        file: "src/state/store/rejects/close-rejects.ts",
        find: "holder.number < whole",
        replace: "holder.number < 0 * whole",
      },
    ],
    test: {
      file: "test/src/state/open-rejects.test.ts",
      title: "are not those of before a run that read the whole source",
    },
  },
  {
    id: "S161",
    plants: "status promises a run that no Temporal was asked for",
    edits: [
      {
        file: "src/cli/status/transfer.ts",
        find: "if (silent !== undefined) {",
        replace: "if (silent !== undefined && schedule === undefined) {",
      },
    ],
    test: {
      file: "test/src/cli/status/transfer.test.ts",
      title: "promises no next run where Temporal does not say that the schedule is on",
    },
  },
  {
    id: "S162",
    plants: "a stop by reject_limit reports none of the rejects that it stopped for",
    edits: [
      {
        file: "activities/stage/stage-notes.ts",
        find:
          "      await this.#tools.state.noteStage({ ...stage, counts, to: page.source.position " +
          "});\n      throw error;",
        replace: "      throw error;",
      },
    ],
    test: {
      file: "test/activities/stage/stage-line.test.ts",
      title: "stops one above, before anything of the chunk can leave, and keeps the rejects",
    },
  },
  {
    id: "S163",
    plants: "the time between two workers counts as time that a run took",
    edits: [
      {
        file: "src/report/report.ts",
        find: "- Date.parse(run.startedAt) - run.idleMs",
        replace: "- Date.parse(run.startedAt)",
      },
    ],
    test: {
      file: "test/src/report/report.test.ts",
      title: "leaves out of the time that a run took the time in which nothing ran",
    },
  },
  {
    id: "S164",
    plants: "what Ctrl-C at a worker cuts off counts as a fault of the run",
    edits: [
      {
        file: "activities/attempt.ts",
        find: "() => stopped.abort(new CancelledFailure(workerStop))",
        replace: "() => stopped.abort()",
      },
    ],
    test: {
      file: "test/activities/attempt.test.ts",
      title: "ends so at once when its worker cannot wait for Temporal's cancel",
    },
  },
  {
    id: "S165",
    plants: "discover proposes `as: json` for jsonb, which refuses each row with a long number",
    edits: [
      {
        file: "src/cli/project/suggest-sync.ts",
        find: '(type === "number" || type === "json") && isWide(note)',
        replace: 'type === "number" && isWide(note)',
      },
    ],
    test: {
      file: "test/src/cli/project/suggest-sync.test.ts",
      title: "takes as text what may hold longer numbers than JSON: json jsonb",
    },
  },
  {
    id: "S166",
    plants: "a missing right is told without the statements that grant it",
    edits: [
      {
        file: "src/postgres/errors.ts",
        find: "if (state === noRight) return grant;",
        replace: "if (state === noRight) return hint;",
      },
    ],
    test: { file: "test/connectors/postgres/check.test.ts", title: "asks for the right to read" },
  },
  {
    id: "S167",
    plants: "status and the lists of runs and rejects want a state folder that can be written",
    edits: [
      {
        file: "src/state/sqlite/database.ts",
        find: "!isUnwritable(error) || !existsSync(file)",
        replace: "isUnwritable(error) || !existsSync(file)",
      },
    ],
    test: {
      file: "test/src/state/state-fault.test.ts",
      title: "is read where the state folder cannot be written",
    },
  },
  {
    id: "S168",
    plants: "the end of a run names the first reject by its number, and not by its row and field",
    edits: [
      {
        file: "src/cli/output/report-text.ts",
        find: "firsts?.get(code) ?? {}",
        replace: "{}",
      },
    ],
    test: {
      file: "test/src/cli/output/report-text.test.ts",
      title: "names the row and the field of the first reject where the store tells them",
    },
  },
  {
    id: "S169",
    plants: "Ctrl-C waits for a question that no worker answers",
    edits: [
      {
        file: "src/cli/running/follow.ts",
        find: "const asked = handle.client.withAbortSignal(signal, async () => {",
        replace:
          "const asked = handle.client.withAbortSignal(new AbortController().signal, async () => {",
      },
    ],
    test: {
      file: "test/src/cli/running/follow.test.ts",
      title: "stops following at once where no worker answers what it asks",
    },
  },
  {
    id: "S510",
    plants: "what is asked of a run that has ended is waited for by the process",
    edits: [
      { file: "src/cli/running/follow.ts", find: "    over.abort();", replace: "    void over;" },
    ],
    test: {
      file: "test/src/cli/running/follow.test.ts",
      title: "ends with the run, and gives up what it has asked and nobody answered",
    },
  },
  {
    id: "S511",
    plants: "a run that no worker continues with is followed in silence",
    edits: [
      {
        file: "src/cli/running/follow.ts",
        find: "Date.now() - answeredAt >= silentMs",
        replace: "false",
      },
    ],
    test: {
      file: "test/src/cli/running/follow.test.ts",
      title: "says that no worker answers, once, and follows on",
    },
  },
  {
    id: "S1500",
    plants: "threads compile all modules anew, as V8 takes what was compiled for another V8's",
    edits: [
      {
        file: "bin/launch.js",
        find: '"--max-semi-space-size=4"',
        replace: '"--no-incremental-marking"',
      },
    ],
    test: {
      file: "test/src/cli/launch.test.ts",
      title: "has what was compiled fit threads of a worker",
    },
  },
];

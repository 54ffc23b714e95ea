import type { Mutant } from "../mutant.ts";

/** What commands, pages and messages say of a run that is interrupted, held, or ends meanwhile. */
export const mutantsOfRunWords: readonly Mutant[] = [
  {
    id: "S2050",
    plants: "a command that waits for a worker waits on after Ctrl-C, and begins its run",
    edits: [
      {
        file: "src/cli/running/session.ts",
        find: "await delay(lookEveryMs, undefined, { signal });",
        replace: "await delay(lookEveryMs);",
      },
    ],
    test: {
      file: "test/src/cli/running/session.test.ts",
      title: "that is interrupted while it waits for a worker does not open",
    },
  },
  {
    id: "S2051",
    plants: "of several syncs those that Ctrl-C left out are passed over in silence",
    edits: [
      {
        file: "src/cli/running/drive.ts",
        find: "      return context.exit(exitCodes.interrupted);\n    }\n    await drive.before",
        replace: "    return;\n    }\n    await drive.before",
      },
    ],
    test: {
      file: "test/src/cli/running/drive.test.ts",
      title: "of several that an interruption left out are named, and end as interrupted",
    },
  },
  {
    id: "S2052",
    plants: "the message of a held run calls sent what only would be",
    edits: [{ file: "src/notify/slack.ts", find: "`why: ${line}`", replace: "`sent: ${line}`" }],
    test: {
      file: "test/src/notify/message.test.ts",
      title: "says in Slack why records would be sent, and not that they were",
    },
  },
  {
    id: "S2053",
    plants: "a run of ten rows counts as a success of its sync",
    edits: [
      {
        file: "src/state/store/runs/successes.ts",
        find: 'run(jsonMember(queries, "request", "limit"), "is", null)',
        replace: 'run(jsonMember(queries, "request", "replay"), "is", null)',
      },
    ],
    test: {
      file: "test/src/state/store/successes.test.ts",
      title: "is not of a run that was to read some rows only",
    },
  },
  {
    id: "S2054",
    plants: "a run while the clock stood in the future stays the last success",
    edits: [
      {
        file: "src/state/store/runs/successes.ts",
        find: '.orderBy("rowid", "desc")',
        replace: '.orderBy("startedAt", "desc")',
      },
    ],
    test: {
      file: "test/src/state/store/successes.test.ts",
      title: "is of the run that was opened last, though the clock stood in the future before",
    },
  },
  {
    id: "S2055",
    plants: "a run that ended while Temporal was asked about it is said to be interrupted",
    edits: [
      {
        file: "src/cli/status/look.ts",
        find: "isOpen(run) ? ((await state.run(run.runId)) ?? run) : run",
        replace: "run",
      },
    ],
    test: {
      file: "test/src/cli/status/look.test.ts",
      title: "a run that ended while Temporal was asked about it is not said to be interrupted",
    },
  },
  {
    id: "S2056",
    plants: "a page says of a run that Temporal was not asked about that it says nothing of it",
    edits: [
      {
        file: "src/cli/status/transfer.ts",
        find: "if (!isAsked) return undefined;",
        replace: "void isAsked;",
      },
    ],
    test: {
      file: "test/src/cli/status/look.test.ts",
      title:
        "a run that Temporal was not asked about is not said to be one that it says nothing of",
    },
  },
  {
    id: "S2057",
    plants: "records that differ are forgotten once those that were missing are sent again",
    edits: [
      {
        file: "src/cli/verify/verify.ts",
        find: "await resendMissing(kept, {",
        replace: "await resendMissing(context, {",
      },
    ],
    test: {
      file: "test/src/cli/verify/resend.test.ts",
      title: "a record that differs counts also where those that were missing are sent again",
    },
  },
  {
    id: "S2058",
    plants: "the pages show the limits of the key that its file had when they were started",
    edits: [
      {
        file: "src/cli/status/look.ts",
        find: "keyName(await currentKey(config.api))",
        replace: "keyName(await Promise.resolve(config.api.apiKey))",
      },
    ],
    test: {
      file: "test/src/cli/status/look.test.ts",
      title:
        "shows the limits of the key that its file has now, and not those of the key at its start",
    },
  },
  {
    id: "S2059",
    plants: "a night on hold counts as the time that a run took",
    edits: [
      {
        file: "src/backfill/estimate.ts",
        find: " && run.hold === null",
        replace: "",
      },
    ],
    test: {
      file: "test/backfill/estimate.test.ts",
      title:
        "take neither the night without a worker nor the wait for a person for the time of a run",
    },
  },
  {
    id: "S2161",
    plants: "the syncs that are still to come do not run once nobody reads the reports",
    edits: [
      {
        file: "src/cli/output/output.ts",
        find: 'code === "EPIPE" && outlivesReader',
        replace: 'code === "EPIPE" && !outlivesReader',
      },
    ],
    test: {
      file: "test/src/cli/output/broken-pipe.test.ts",
      title: "does not end what moves data once nobody reads its reports",
    },
  },
  {
    id: "S2166",
    plants: "an error of the last sync hides that an earlier one ended worse",
    edits: [
      {
        file: "src/cli/main.ts",
        find: "Number(process.exitCode ?? exitCodes.done)",
        replace: "exitCodes.done",
      },
    ],
    test: {
      file: "test/src/cli/output/exit-code.test.ts",
      title: "ends a command with the worst code, also where its last sync fails by an error",
    },
  },
  {
    id: "S2167",
    plants: "a nightly run continues with an interrupted backfill or resend in its own place",
    edits: [
      {
        file: "src/cli/running/drive.ts",
        find: 'if (holder.kind !== "backfill" && holder.kind !== "resend") {',
        replace: 'if (holder.kind !== "") {',
      },
    ],
    test: {
      file: "test/src/cli/running/drive.test.ts",
      title: "a run begins, and waits for the lock of a resend (another worker: false)",
    },
  },
  {
    id: "S2168",
    plants: "a backfill that a reset has ended is followed for ever",
    edits: [
      {
        file: "src/cli/backfill/begin.ts",
        find: "      await stopLeft(handle);\n      return undefined;\n",
        replace: "      await Promise.resolve();\n",
      },
    ],
    test: {
      file: "test/src/cli/backfill/begin.test.ts",
      title: "a backfill that a reset ended in the store is stopped, and another one begins",
    },
  },
  {
    id: "S2169",
    plants: "a key is forgotten at the configured service and account alone",
    edits: [
      {
        file: "src/cli/forget/other-targets.ts",
        find: "if (target === targetOf(config.api)) continue;",
        replace: 'if (target !== "") continue;',
      },
    ],
    test: {
      file: "test/src/cli/forget/other-targets.test.ts",
      title: "leaves nothing of it in any byte of the state folder",
    },
  },
  {
    id: "S2170",
    plants: "a reset of all syncs ends at the first that is busy",
    edits: [
      {
        file: "src/cli/status/state.ts",
        find: "await oneByOne(names, { context: kept, options }, async (each) => {",
        replace:
          "for (const one of names) await oneByOne([one], { context: kept, options }, async (each) => {",
      },
    ],
    test: {
      file: "test/src/cli/status/state.test.ts",
      title: "resets the others where one of several is busy, and names that one",
    },
  },
  {
    id: "S2171",
    plants: "a backfill takes an approval of another plan than the one that waits",
    edits: [
      {
        file: "workflows/backfill/backfill-view.ts",
        find: "        this.#assertNamed(input);\n",
        replace: "        void input;\n",
      },
    ],
    test: {
      file: "test/workflows/backfill/backfill.test.ts",
      title: "refuses an approval that names another plan than the one that waits",
    },
  },
  {
    id: "S2172",
    plants: "a reset forgets what a run that began meanwhile has left in doubt",
    edits: [
      {
        file: "src/state/store/doubts/doubt-store.ts",
        find: " and coalesce(next_send, send, 0) <= ${validAfter}",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/doubt/state-reset.test.ts",
      title: "`state reset` leaves in doubt what a run sends that begins meanwhile",
    },
  },
  {
    id: "S2173",
    plants: "a held run can only be discarded with a key that the service takes",
    edits: [{ file: "src/cli/run/approve.ts", find: "isPinged: isSent, ", replace: "" }],
    test: {
      file: "test/src/cli/run/approve.test.ts",
      title: "needs no service that answers, and no valid key",
    },
  },
  {
    id: "S2174",
    plants: "a command that waits for nothing ends well where a run is held",
    edits: [
      {
        file: "src/cli/running/drive.ts",
        find: "if (isHeld) context.exit(exitCodes.held);",
        replace: "",
      },
    ],
    test: {
      file: "test/src/cli/running/drive.test.ts",
      title: "a run that is held is not said to have been started, where nobody waits for it",
    },
  },
];

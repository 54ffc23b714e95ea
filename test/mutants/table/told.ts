import type { Mutant } from "../mutant.ts";

/** What a user learns about runs, rejects, keys and accounts. */
export const mutantsOfTold: readonly Mutant[] = [
  {
    id: "S228",
    plants: "a run is done with the key of a worker, though its own is another",
    edits: [
      {
        file: "src/hosts/live-workers.ts",
        find: "${key} ",
        replace: "",
      },
    ],
    test: {
      file: "test/src/cli/running/right-worker.test.ts",
      title: "stop it before it begins where one has another configuration of it, and say which",
    },
  },
  {
    id: "S229",
    plants: "status stays on a run that found its sync busy",
    edits: [
      {
        file: "src/cli/status/last-run.ts",
        find: 'if (newest?.outcome !== "busy") return newest;',
        replace: "if (newest !== undefined) return newest;",
      },
    ],
    test: {
      file: "test/src/cli/status/last-run.test.ts",
      title: "is not one that another kept from beginning, once that one has ended",
    },
  },
  {
    id: "S230",
    plants: "a second row of a key is not an open reject",
    edits: [
      {
        file: "src/state/store/rejects/close-rejects.ts",
        find: 'step !== "duplicate" && key',
        replace: "key",
      },
    ],
    test: {
      file: "test/src/state/open-rejects.test.ts",
      title: "are those of a key that was there twice: what was sent is the other row",
    },
  },
  {
    id: "S231",
    plants: "check passes over an account that a run would refuse",
    edits: [
      {
        file: "src/cli/project/check.ts",
        find: "await assertSameSides(deps, { sync, source, isKept: false }, signal);",
        replace: "",
      },
    ],
    test: {
      file: "test/src/cli/project/check.test.ts",
      title: "looks whether account and source are those that a run has worked with",
    },
  },
  {
    id: "S232",
    plants: "check says nothing of a mapping where anything else of its connection is wrong",
    edits: [
      {
        file: "src/cli/project/check.ts",
        find: 'found.some(({ ok, subject }) => ok && subject.split(" ")[0] === connection);',
        replace: 'found.every(({ ok, subject }) => ok || subject.split(" ")[0] !== connection);',
      },
    ],
    test: {
      file: "test/src/cli/project/check.test.ts",
      title: "looks for the columns also where something else of the connection is wrong",
    },
  },
  {
    id: "S520",
    plants: "a reject of the mapping has no key, though its row has one",
    edits: [
      {
        file: "src/mapping/compile.ts",
        find: "return { reject, key: record[keyField] };",
        replace: "return { reject };",
      },
    ],
    test: {
      file: "test/src/pipeline/lines.test.ts",
      title: "names the key of a reject where the row has one that a record could have",
    },
  },
  {
    id: "S521",
    plants: "a row that the mapping rejected counts as a record made of its key",
    edits: [
      {
        file: "src/state/store/doubts/settling.ts",
        find: "and step = 'send'`",
        replace: "and key is not null`",
      },
    ],
    test: {
      file: "test/activities/doubt/stray-keys.test.ts",
      title: "a key is called stray though such a chunk rejected its row: it made no record of it",
    },
  },
  {
    id: "S1770",
    plants: "a schedule of mon-sun runs on Mondays alone",
    edits: [
      {
        file: "src/schedules/calendars.ts",
        find: 'text.toUpperCase() === "SUN"',
        replace: 'text === "SUNDAY"',
      },
    ],
    test: {
      file: "test/src/schedules/calendars.test.ts",
      title: "has a range of days end with Sunday where it names it, as in mon-sun",
    },
  },
  {
    id: "S1771",
    plants: "one open reject hides from status that no run begins any more",
    edits: [
      {
        file: "src/cli/status/transfer.ts",
        find: "    halted ?? overdue(transfer, seen, now),",
        replace: "    openRejects > 0 ? undefined : overdue(transfer, seen, now),",
      },
    ],
    test: {
      file: "test/src/cli/status/transfer.test.ts",
      title: "does not let an open reject, a warning or a failure hide that no run begins",
    },
  },
  {
    id: "S1772",
    plants: "status asks a person to answer a held run whose workflow was terminated",
    edits: [
      {
        file: "src/cli/status/transfer.ts",
        find: "if (open?.isWorkflowOpen === false) {",
        replace: "if (open?.isWorkflowOpen === null) {",
      },
    ],
    test: {
      file: "test/src/cli/status/transfer.test.ts",
      title: "asks nobody to answer a run that was held and whose workflow is gone",
    },
  },
  {
    id: "S1773",
    plants: "status counts a run as missed that began before its time by the store's clock",
    edits: [
      {
        file: "src/cli/status/transfer.ts",
        find: "Math.max(began, nominal)",
        replace: "Math.min(began, nominal)",
      },
    ],
    test: {
      file: "test/src/cli/status/transfer.test.ts",
      title: "counts no run as missed that began before its time",
    },
  },
  {
    id: "S1774",
    plants: "a command says of a run that was reset that it was terminated",
    edits: [
      {
        file: "src/cli/running/follow.ts",
        find: "if (!isTerminated(error)) throw error;",
        replace: "throw error;",
      },
    ],
    test: {
      file: "test/src/cli/running/follow.test.ts",
      title: "goes on with a run that was reset",
    },
  },
  {
    id: "S1936",
    plants: "people are told outcomes as programs are",
    edits: [
      {
        file: "src/text/outcome-text.ts",
        find: 'return outcome.replaceAll("_", " ");',
        replace: "return outcome;",
      },
    ],
    test: {
      file: "test/src/cli/run/runs-list.test.ts",
      title: "shows the runs that failed, and those since a time",
    },
  },
  {
    id: "S1940",
    plants: "the page of a record gives a command that takes a key that begins with - for options",
    edits: [
      {
        file: "src/cli/ui/pages/record.ts",
        find: 'name.startsWith("-") ? ["--"] : []',
        replace: "[]",
      },
    ],
    test: {
      file: "test/src/cli/ui/pages.test.ts",
      title: "give the commands that replay and explain, quoted for a shell",
    },
  },
  {
    id: "S1941",
    plants: "/runs of the pages says that there is no sync or pull of no name",
    edits: [
      { file: "src/cli/ui/pages/runs.ts", find: 'sync.trim() === ""', replace: 'sync === " "' },
    ],
    test: {
      file: "test/src/cli/ui/pages.test.ts",
      title: "ask whose runs are meant where no sync or pull is named",
    },
  },
  {
    id: "S1930",
    plants: "a table that no cut makes narrow enough goes beyond the edge of the terminal",
    edits: [
      {
        file: "src/cli/output/table.ts",
        find: "widthOf(widths) > width",
        replace: "widthOf(widths) < 0",
      },
    ],
    test: {
      file: "test/src/cli/output/table.test.ts",
      title: "sets what a row has below its name where no cut makes the columns fit",
    },
  },
  {
    id: "S1934",
    plants: "doctor says four times that the store is away",
    edits: [
      {
        file: "src/cli/project/doctor.ts",
        find: "if (!ok && told.has(detail)) return;",
        replace: "",
      },
    ],
    test: {
      file: "test/src/cli/project/doctor.test.ts",
      title: "says once of a store that is away that it is, and a program all that was looked at",
    },
  },
  {
    id: "S1935",
    plants: "check says of every look that the store is away",
    edits: [
      {
        file: "src/cli/project/check.ts",
        find: "ok || !told.has(detail)",
        replace: "ok || told.size > 0",
      },
    ],
    test: {
      file: "test/src/cli/project/check.test.ts",
      title: "says once of a store that is away that it is",
    },
  },
  {
    id: "S1994",
    plants: "a run that was begun for a time to come hides the nights until then",
    edits: [
      {
        file: "src/cli/status/transfer.ts",
        find: "nominal <= Math.min(began + aheadMsMax, now.getTime())",
        replace: "nominal <= Math.max(nominal, now.getTime())",
      },
    ],
    test: {
      file: "test/src/cli/status/transfer.test.ts",
      title: "counts nights as missed although a run was begun for one that is to come",
    },
  },
];

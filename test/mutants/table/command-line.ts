import type { Mutant } from "../mutant.ts";

/** Mutants of the command line: its arguments, its exit codes, and how it is parsed. */
export const mutantsOfCommandLine: readonly Mutant[] = [
  {
    id: "S270",
    plants: "of several runs the last exit code counts",
    edits: [
      {
        file: "src/cli/output/exit-code.ts",
        find: "worst = worstOf(worst, code);",
        replace: "worst = code;",
      },
    ],
    test: {
      file: "test/src/cli/output/exit-code.test.ts",
      title: "keeps the worst exit code",
    },
  },
  {
    id: "S271",
    plants: "of several, one that fails keeps the others from their turn",
    edits: [
      {
        file: "src/cli/output/one-by-one.ts",
        find: "items.length === 1 || !(error instanceof SluiceError)",
        replace: "true",
      },
    ],
    test: {
      file: "test/src/cli/output/exit-code.test.ts",
      title: "does the others where one of several fails, and throws where it is the only one",
    },
  },
  {
    id: "S272",
    plants: "a number in the row of a reject loses its digits in JSON",
    edits: [
      {
        file: "src/cli/run/reject-text.ts",
        find: "plainJsonText(row)",
        replace: "plainJson(JSON.parse(row))",
      },
    ],
    test: {
      file: "test/src/cli/run/rejects.test.ts",
      title: "gives rows as JSON, with the digits that they have",
    },
  },
  {
    id: "S273",
    plants: "a narrow terminal cuts ids",
    edits: [
      {
        file: "src/cli/output/table.ts",
        find: "if (column === 0) return Math.max(whole, heading.length);",
        replace: "if (column < 0) return whole;",
      },
    ],
    test: {
      file: "test/src/cli/output/table.test.ts",
      title: "cuts no id that has no digit either",
    },
  },
  {
    id: "S274",
    plants: "a name that a shell would run is offered as a completion",
    edits: [
      {
        file: "src/cli/completion/names.ts",
        find: "/^[\\w.-]+$/.test(name)",
        replace: "name !== undefined",
      },
    ],
    test: {
      file: "test/src/cli/completion/completion.test.ts",
      title: "reads names of a file with mistakes, and runs where there is a store",
    },
  },
  {
    id: "S275",
    plants: "an embedded server that is just stopping is taken for one that hangs",
    edits: [
      {
        file: "src/cli/running/reach-temporal.ts",
        find: "!(await isListening(embedded))",
        replace: 'embedded === ""',
      },
    ],
    test: {
      file: "test/src/cli/running/reach-temporal.test.ts",
      title: "takes an embedded server that is just stopping for none",
    },
  },
  {
    id: "S522",
    plants: "a help text is not wrapped in a narrow terminal",
    edits: [
      {
        file: "src/cli/help/layout.ts",
        find: "minWidthToWrap: 20,",
        replace: "minWidthToWrap: 40,",
      },
    ],
    test: {
      file: "test/src/cli/help/help.test.ts",
      title: "fits into 60 columns, all but the examples, which are there to be copied",
    },
  },
  {
    id: "S523",
    plants: "an option before the command is taken and not obeyed",
    edits: [
      {
        file: "src/cli/program.ts",
        find: "obey?.(mergedOptions(program.opts(), called.opts())),",
        replace: "obey?.(called.opts()),",
      },
    ],
    test: {
      file: "test/src/cli/help/help.test.ts",
      title: "are taken before its name and behind it: --quiet help exit-codes",
    },
  },
  {
    id: "S524",
    plants: "a file's row is found under one of the two spellings of its path alone",
    edits: [
      {
        file: "connectors/csv/get.ts",
        find: 'return markKey(config, name.slice(0, name.lastIndexOf(":")));',
        replace: 'return name.slice(0, name.lastIndexOf(":"));',
      },
    ],
    test: {
      file: "test/src/cli/run/preview.test.ts",
      title: "takes a file's name with ./ and without, where it is configured as ./accounts.csv",
    },
  },
  {
    id: "S526",
    plants: "the help that the build has written down is laid out in another way",
    edits: [
      {
        file: "src/cli/help/overview.ts",
        find: "    ...program.configureHelp(),\n",
        replace: "",
      },
    ],
    test: {
      file: "test/src/cli/help/help.test.ts",
      title: "fits as well where the build has written down the verbs",
    },
  },
  {
    id: "S1870",
    plants: "init takes no column whose name ends in a blank, whatever is typed",
    edits: [
      {
        file: "src/cli/project/init-plan.ts",
        find: "value.trim() === answer.trim()",
        replace: "value === answer",
      },
    ],
    test: {
      file: "test/src/cli/project/sample.test.ts",
      title: "finds a column called with blanks around its name by the name, and shows them",
    },
  },
  {
    id: "S1871",
    plants: "init takes no column for the key of a file that ends in rows of separators alone",
    edits: [
      {
        file: "src/cli/project/sample.ts",
        find: '.filter((row) => Object.values(row).some((cell) => cell !== ""))',
        replace: "",
      },
    ],
    test: {
      file: "test/src/cli/project/sample.test.ts",
      title: "takes rows of separators alone for no rows that a key must name",
    },
  },
  {
    id: "S1872",
    plants: "preview of an empty source prints nothing at all",
    edits: [
      {
        file: "src/cli/run/preview.ts",
        find: "if (left === options.limit) context.say",
        replace: "if (left > options.limit) context.say",
      },
    ],
    test: {
      file: "test/src/cli/run/preview.test.ts",
      title: "says of an inbox that nothing came into that there is no row to show",
    },
  },
  {
    id: "S1873",
    plants: "preview is silent of rows that the mapping leaves out",
    edits: [
      {
        file: "src/cli/run/preview.ts",
        find: "filtered += page.filtered;",
        replace: "filtered += 0;",
      },
    ],
    test: {
      file: "test/src/cli/run/preview.test.ts",
      title: "says how many rows the mapping leaves out",
    },
  },
  {
    id: "S1874",
    plants: "doctor tells a state folder that cannot be written in the words of a system call",
    edits: [
      {
        file: "src/cli/project/doctor.ts",
        find: "await inStateFolder(stateFolder, async () => accessSync(folder, constants.W_OK));",
        replace: "accessSync(folder, constants.W_OK);",
      },
    ],
    test: {
      file: "test/src/cli/project/doctor.test.ts",
      title:
        "says of a state folder that cannot be made what is in its place, and nothing of system calls",
    },
  },
  {
    id: "S1875",
    plants: "forget counts one of a kind as if it were several",
    edits: [
      {
        file: "src/cli/forget/forget.ts",
        find: "count === 1 ? 0 : 1",
        replace: "count === 0 ? 0 : 1",
      },
    ],
    test: {
      file: "test/src/cli/forget/forget.test.ts",
      title: "names connections that no sync reads, of which the inbox has events",
    },
  },
  {
    id: "S1931",
    plants: "init without a terminal names one missing option at a time",
    edits: [
      {
        file: "src/cli/project/answers.ts",
        find: "const missing = questions.filter(",
        replace: "const missing = questions.slice(0, 1).filter(",
      },
    ],
    test: {
      file: "test/src/cli/project/answers.test.ts",
      title: "names all that is missing of several at once",
    },
  },
  {
    id: "S1972",
    plants: "what closing threw is told in place of what failed",
    edits: [
      {
        file: "src/errors.ts",
        find: "  while (first instanceof SuppressedError) first = first.suppressed;\n",
        replace: "",
      },
    ],
    test: {
      file: "test/src/cli/output/exit-code.test.ts",
      title: "tells what failed first, not what closing threw on top of it",
    },
  },
  {
    id: "S1981",
    plants: "the progress of a run goes back by the rows of a chunk that was just staged",
    edits: [
      {
        file: "src/cli/running/follow.ts",
        find: "counts = notBelow(counts ?? now.counts, now.counts);",
        replace: "({ counts } = now);",
      },
    ],
    test: {
      file: "test/src/cli/running/follow.test.ts",
      title: "never goes back by the rows of a chunk that is staged",
    },
  },
];

import type { Mutant } from "../mutant.ts";

const file = "test/src/state/open-rejects.test.ts";

/** Open rejects, as the store counts them. */
export const mutantsOfOpenRejects: readonly Mutant[] = [
  {
    id: "S1260",
    plants: "a reject that a replay has read stays counted as open",
    edits: [
      {
        file: "src/state/store/rejects/replays.ts",
        find: "if (run !== undefined) await recountOpen(queries, run);",
        replace: "void [run, recountOpen];",
      },
    ],
    test: { file, title: "are those that no replay made good, in whichever run, newest run first" },
  },
  {
    id: "S1261",
    plants: "a reject of a row that is gone is open",
    edits: [
      {
        file: "src/state/store/rejects/insert-rejects.ts",
        find: 'new Set(["row_gone", refusedAgain])',
        replace: "new Set([refusedAgain])",
      },
    ],
    test: {
      file,
      title: "are not those of rows that were rejected again, that came since, or that are gone",
    },
  },
  {
    id: "S1262",
    plants: "the end of a run closes nothing",
    edits: [
      {
        file: "src/state/store/store-methods.ts",
        find: 'if (run.kind !== "pull") await closeRejects(run);',
        replace: "void closeRejects;",
      },
    ],
    test: {
      file,
      title: "are not those of rows that were rejected again, that came since, or that are gone",
    },
  },
  {
    id: "S1263",
    plants: "rejects of a chunk that was not committed are open",
    edits: [
      {
        file: "src/state/store/rejects/rejects.ts",
        find: "and s.chunk = r.chunk and s.stage = r.stage and s.state = 'committed')",
        replace: "and s.chunk = r.chunk and s.stage = r.stage)",
      },
    ],
    test: { file, title: "are not among a chunk that was not committed, nor of a pull" },
  },
  {
    id: "S2090",
    plants: "of a page of several files only the rows of a reject's own file count as before it",
    edits: [
      {
        file: "connectors/csv/join-pages.ts",
        find: "before += page.lines.length;",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/stage/replay-pages.test.ts",
      title: "sends it over the older row of its key once its encoding is set",
    },
  },
  {
    id: "S2091",
    plants: "rows are numbered as if their page had no rejects of the reader",
    edits: [
      {
        file: "src/pipeline/page.ts",
        find: "return (index) => first + index + 1 + rejectsBefore(rejects, index);",
        replace: "return (index) => first + index + 1 + 0 * rejectsBefore(rejects, index);",
      },
    ],
    test: {
      file: "test/activities/replay-order.test.ts",
      title: "a line that the reader refused gives way to the row directly behind it",
    },
  },
  {
    id: "S2092",
    plants:
      "what the reader refuses again in a replay comes before all rows that are replayed with it",
    edits: [
      {
        file: "activities/stage/replay-pages.ts",
        find: "return { ...reject, rowsBefore: next === -1 ? found.length : next };",
        replace: "return { ...reject, rowsBefore: next * 0 };",
      },
    ],
    test: {
      file: "test/activities/replay-order.test.ts",
      title: "a line that the reader refused is replayed after the row before it, also in replay 2",
    },
  },
  {
    id: "S2093",
    plants: "a replay gets the rows of a file by today's names, whatever the path was then",
    edits: [
      {
        file: "connectors/csv/get.ts",
        find: "const isOfThen = isSpan(request);",
        replace: "const isOfThen = false;",
      },
    ],
    test: {
      file: "test/activities/stage/replay-pages.test.ts",
      title: "keeps the order of its rows: ./accounts.csv",
    },
  },
  {
    id: "S2094",
    plants: "a row of another name than was asked for has the age of the first",
    edits: [
      {
        file: "activities/stage/replay-pages.ts",
        find: 'throw cannotReplay("the source names its rows in another way now", what);',
        replace: "return 0;",
      },
    ],
    test: {
      file: "test/activities/stage/replay-pages.test.ts",
      title: "a replay takes nothing from a source that names its rows in another way than before",
    },
  },
  {
    id: "S2095",
    plants: "a run is named as the way to rejected rows that lie behind the checkpoint",
    edits: [
      {
        file: "connectors/replayable.ts",
        find: 'source.restart?.(config) === "each-run"',
        replace: 'source.restart?.(config) !== "never"',
      },
    ],
    test: {
      file: "test/activities/stage/replay-pages.test.ts",
      title: "a replay out of a file that only grew until it was replaced says what sends its rows",
    },
  },
  {
    id: "S2097",
    plants: "the page of a refused row is read again with what its files have grown by",
    edits: [
      {
        file: "activities/stage/find-rows.ts",
        find: "to: position.parse(to ?? undefined) };",
        replace: "to: position.parse(void to) };",
      },
    ],
    test: {
      file: "test/activities/stage/split-chunk.test.ts",
      title: "numbers a refused row as it was staged, where a file before it has grown since",
    },
  },
  {
    id: "S2110",
    plants: "a row counts as gone once its table has another name",
    edits: [
      {
        file: "connectors/postgres/get.ts",
        find: "const other = names.find((name) => !name.startsWith(placePrefix(source)));",
        replace: 'const other = names.find((name) => name === "");',
      },
    ],
    test: {
      file: "test/activities/replay-table.test.ts",
      title:
        "leaves its rows alone after alter table companies rename to firms, with a key of text",
    },
  },
  {
    id: "S2111",
    plants: "a row counts as gone once its file, which only grew, has another name",
    edits: [
      {
        file: "connectors/csv/get.ts",
        find: "const names = listed.has(key) ? [] : (wanted.get(key) ?? []);",
        replace: "const names = listed.size >= 0 ? [] : (wanted.get(key) ?? []);",
      },
    ],
    test: {
      file: "test/activities/stage/replay-pages.test.ts",
      title: "does not call its rows gone: it was renamed",
    },
  },
  {
    id: "S2112",
    plants: "a replay whose source is another one hides what that source says to do",
    edits: [
      {
        file: "activities/stage/replay-pages.ts",
        find: "throw cannotReplay(error.message, what, { cause: error, hint });",
        replace: "throw cannotReplay(error.message, what, { cause: [error, hint] });",
      },
    ],
    test: {
      file: "test/activities/inbox-sync.test.ts",
      title: "cannot replay what another inbox held",
    },
  },
  {
    id: "S2113",
    plants:
      "places of a table count as lines, and go to Temporal, where the run first was of a file",
    edits: [
      {
        file: "activities/run/set-run-range.ts",
        find: "const placesAreLines = source.placesAreLines === true;",
        replace: "const { placesAreLines } = source;",
      },
    ],
    test: {
      file: "test/activities/run/open-run.test.ts",
      title: "is of the source with which it succeeds, whose places may hold keys",
    },
  },
  {
    id: "S2089",
    plants: "a replay that is given up leaves rejects superseded by rows that it never sent",
    edits: [
      {
        file: "src/state/store/sends/drop-stagings.ts",
        find: "  if (open.length > 0) await reopenSuperseded(queries, runId);\n",
        replace: "  void reopenSuperseded;\n",
      },
    ],
    test: {
      file: "test/src/state/replays.test.ts",
      title: "leaves open, once it is given up, what it found superseded and did not commit",
    },
  },
  {
    id: "S2135",
    plants: "a replay whose chunk is cut leaves rejects superseded by rows that it never sent",
    edits: [
      {
        file: "src/state/store/sends/split.ts",
        find: "    await reopenSuperseded(queries, name.runId);\n",
        replace: "    void reopenSuperseded;\n",
      },
    ],
    test: {
      file: "test/src/state/replays.test.ts",
      title:
        "leaves open, once its chunk is cut, what it found superseded by a row that was not sent",
    },
  },
  {
    id: "S2202",
    plants: "a spreadsheet that splits lines at semicolons runs a formula out of a rejected row",
    edits: [
      {
        file: "src/text/spreadsheet-cell.ts",
        find: 'text.replaceAll(innerFormula, "\'")',
        replace: 'text.replaceAll(innerFormula, "")',
      },
    ],
    test: {
      file: "test/src/cli/run/rejects.test.ts",
      title: "has no cell that a spreadsheet runs, also where it splits lines at other separators",
    },
  },
];

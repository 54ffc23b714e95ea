import type { Mutant } from "../mutant.ts";

const datedTest = "test/activities/dated-files.test.ts";
const orderTest = "test/connectors/csv/newest-first.test.ts";
const stageTest = "test/activities/stage/stage-line.test.ts";
const appendTest = "test/connectors/csv/append-only.test.ts";

/** Mutants of dated files, where the newest one wins. */
export const mutantsOfDated: readonly Mutant[] = [
  {
    id: "S140",
    plants: "of dated files the oldest is read first, so that its rows win",
    edits: [
      {
        file: "connectors/csv/files.ts",
        find: "if (config.first_wins === true && !config.append_only) places.reverse();",
        replace: "",
      },
    ],
    test: {
      file: datedTest,
      title:
        "of dated files that hold a record the newest wins, each night, and the older rows are rejects",
    },
  },
  {
    id: "S141",
    plants: "a replay sends the row of an older file, because it was read later",
    edits: [
      {
        file: "src/state/store/rejects/reject-age.ts",
        find: "r.step = 'duplicate'",
        replace: "r.step = 'none'",
      },
    ],
    test: { file: datedTest, title: "a replay does not bring the row of an older file back" },
  },
  {
    id: "S142",
    plants: "the newest file is read first although later rows are sent over earlier ones",
    edits: [
      {
        file: "src/config/schema/sources.ts",
        find: 'firstWins: send !== "all" && duplicates !== "send"',
        replace: "firstWins: true",
      },
    ],
    test: { file: datedTest, title: "the newest wins, too, with `duplicate_keys: send`" },
  },
  {
    id: "S143",
    plants: "two lanes read two dated files at once",
    edits: [
      {
        file: "connectors/csv/parse/split.ts",
        find: "const isOne = request.config.first_wins === true && sections.length > 1;",
        replace: "const isOne = false;",
      },
    ],
    test: {
      file: orderTest,
      title: "several files in which the newest wins are one lane, one file is cut",
    },
  },
  {
    id: "S144",
    plants: "a file that came since makes the rejects of the older ones unreadable",
    edits: [
      {
        file: "connectors/csv/spans.ts",
        find: "const index = files.findIndex(({ place }) => place === to?.first);",
        replace: "const index = files.findIndex(() => to === undefined);",
      },
    ],
    test: {
      file: datedTest,
      title: "rejects can be replayed although a newer file has come since",
    },
  },
  {
    id: "S2214",
    plants: "the row of an older file is sent in place of the newest one, which is rejected",
    edits: [
      {
        file: "src/pipeline/rejects-duplicates.ts",
        find: "if (newer === undefined || newer === file) return true;",
        replace: "if (newer !== file) return true;",
      },
    ],
    test: {
      file: datedTest,
      title:
        "an older file's row is not sent in place of one refused before its chunk was staged again",
    },
  },
  {
    id: "S2215",
    plants: "a chunk does not know which keys the chunks before it have rejected",
    edits: [
      {
        file: "activities/stage/newest-first.ts",
        find: "rejects.before.rejected > 0",
        replace: "rejects.before.rejected < 0",
      },
    ],
    test: {
      file: datedTest,
      title:
        "an older file's row is not sent in place of the newest one, which is rejected (chunk: { records: 1 })",
    },
  },
  {
    id: "S2216",
    plants: "a sound row is not sent because another one of its key in the same file is rejected",
    edits: [
      {
        file: "src/pipeline/rejects-duplicates.ts",
        find: "newer === undefined || newer === file",
        replace: "newer === undefined",
      },
    ],
    test: { file: datedTest, title: "within a file, the first row of a key that is sound is sent" },
  },
  {
    id: "S310",
    plants: "the edges of a backfill's lanes go back to a file that another edge has left",
    edits: [
      {
        file: "connectors/csv/parse/split.ts",
        find: "    if (index < (this.#last?.index ?? 0)) return undefined;\n",
        replace: "",
      },
    ],
    test: {
      file: "test/connectors/csv/parse/split.test.ts",
      title: "cuts small files only forwards, where more parts are asked for than there are rows",
    },
  },
  {
    id: "S1710",
    plants:
      "each of thousands of small files that grow is a page, whose position names all of them",
    edits: [
      {
        file: "connectors/csv/read.ts",
        find: "if (request.config.append_only) yield*",
        replace: "if (false) yield*",
      },
    ],
    test: {
      file: appendTest,
      title: "puts small files together to pages, because each position names all of them",
    },
  },
  {
    id: "S1711",
    plants: "pages of small files are put together beyond the rows of a page",
    edits: [
      {
        file: "connectors/csv/join-pages.ts",
        find: "this.#rows + rowsOf(next) > pageRowsMax ||",
        replace: "",
      },
    ],
    test: {
      file: appendTest,
      title: "puts small files together to pages, because each position names all of them",
    },
  },
  {
    id: "S1712",
    plants: "pages of small files are put together beyond the bytes of a page",
    edits: [
      {
        file: "connectors/csv/join-pages.ts",
        find: " || this.#bytes + next.bytes > csvPageBytesMax",
        replace: "",
      },
    ],
    test: { file: appendTest, title: "puts no more bytes together than a page may have" },
  },
  {
    id: "S1713",
    plants: "where the pages of a chunk began is held in memory until it is full",
    edits: [
      {
        file: "activities/stage/stage-line.ts",
        find: "for await (const written of chunk.write(changed)) {",
        replace:
          "const held: unknown[] = [];\n  for await (const written of chunk.write(changed)) {",
      },
      {
        file: "activities/stage/stage-line.ts",
        find: "await starts.write(Buffer.from(`${JSON.stringify(written.start)}\\n`));",
        replace: "held.push(written.start);",
      },
      {
        file: "activities/stage/stage-line.ts",
        find: "await starts.finish();",
        replace:
          "for (const one of held) await starts.write(Buffer.from(`${JSON.stringify(one)}\\n`));" +
          "\n  await starts.finish();",
      },
    ],
    test: {
      file: stageTest,
      title: "is written while the source is read, because positions may be large",
    },
  },
  {
    id: "S1714",
    plants: "a file that grows is another one once its path is written otherwise",
    edits: [
      {
        file: "connectors/csv/spans.ts",
        find: "return resolve(folder, place);",
        replace: "return resolve(folder) === place ? folder : place;",
      },
    ],
    test: { file: appendTest, title: "goes on where it was when the path is written otherwise" },
  },
  {
    id: "S1715",
    plants: "a file that is replaced while another is read may have other columns",
    edits: [
      {
        file: "activities/stage/stage-chunk.ts",
        find: "if (needsSource && !job.isReplay) await checkColumns(source, sync, how);\n        return written;",
        replace: "return written;",
      },
    ],
    test: {
      file: datedTest,
      title:
        "sends nothing of a file that was replaced, with other columns, while another was read",
    },
  },
];

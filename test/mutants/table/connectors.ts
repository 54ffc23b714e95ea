import type { Mutant } from "../mutant.ts";

/** Bugs of what reads rows and of the fields that are made of them. */
export const mutantsOfConnectors: readonly Mutant[] = [
  {
    id: "S60",
    plants: "a row of an API that changes again at its time is passed over for good",
    edits: [
      {
        file: "connectors/http/index.ts",
        find: '    const sign = by ? signOf(value) : "";\n',
        replace: '    const sign = by ? signOf(name || value) : "";\n',
      },
    ],
    test: {
      file: "test/connectors/http/read.test.ts",
      title: "reads a row again that changed again at its time",
    },
  },
  {
    id: "S61",
    plants: "an API without order loses rows from one page to the next",
    edits: [
      {
        file: "connectors/http/index.ts",
        find: "{ group: done.since, isBegun: false } : { isBegun: true });",
        replace: "{ group: done.since, isBegun: false } : { isBegun: false });",
      },
    ],
    test: {
      file: "test/connectors/http/read.test.ts",
      title: "refuses a page that begins before the end of the page before, when it comes again",
    },
  },
  {
    id: "S62",
    plants: "a number of an API that a double carries becomes text",
    edits: [
      {
        file: "connectors/http/index.ts",
        find: "!isCarried(source) ? new LongNumber(source)",
        replace: "source.length > 15 ? new LongNumber(source)",
      },
    ],
    test: {
      file: "test/connectors/http/read.test.ts",
      title: "reads a list that is the whole answer, with its digits",
    },
  },
  {
    id: "S63",
    plants: "the rows after a zero byte in a gzip file are not read, without a word",
    edits: [
      {
        file: "connectors/csv/bytes.ts",
        find: "  if (readBytes >= size) return;\n",
        replace: "  if (readBytes <= size) return;\n",
      },
    ],
    test: {
      file: "test/connectors/csv/bytes.test.ts",
      title: "stops at a gzip file that is read to a zero byte between two members",
    },
  },
  {
    id: "S66",
    plants: "the line that tells Excel the delimiter is a row",
    edits: [
      {
        file: "connectors/csv/header.ts",
        find: "const [offset, line] = [markBytes + toldBytes, told === undefined ? 1 : 2];",
        replace: "const [offset, line] = [markBytes + toldBytes * 0, 1];",
      },
    ],
    test: {
      file: "test/connectors/csv/header.test.ts",
      title: "takes the delimiter from the line that tells it to Excel, and passes over it",
    },
  },
  {
    id: "S67",
    plants: "fields that are left out because they are invalid are not told of",
    edits: [
      {
        file: "activities/stage/stage-notes.ts",
        find: "    this.#omitted.add(page.omitted ?? []);\n",
        replace: "    void page.omitted;\n",
      },
    ],
    test: {
      file: "test/activities/omitted-fields.test.ts",
      title:
        "sends a record without an optional field that is invalid, and says which and how many",
    },
  },
];

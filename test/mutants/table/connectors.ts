import { planting, type Mutant } from "../mutant.ts";

const ofHttp = planting({
  file: "test/connectors/http/read.test.ts",
  title: "reads every page by cursor, and continues inside of one",
});

/** Bugs in reading rows and in the fields made from them. */
export const mutantsOfConnectors: readonly Mutant[] = [
  ofHttp({
    id: "S60",
    plants: "a row of an API that changes again at its time is passed over for good",
    file: "connectors/paging/entries.ts",
    find: "  const sign = signOf(item);\n",
    replace: "  const sign = signOf(name || item);\n",
    title: "reads a row again that changed again at its time",
  }),
  ofHttp({
    id: "S61",
    plants: "an API without order loses rows from one page to the next",
    file: "connectors/paging/paginate.ts",
    find: "    this.#isFirst = false;\n",
    replace: "    this.#isFirst = true;\n",
    title: "refuses a page that begins before the end of the page before, when it comes again",
  }),
  ofHttp({
    id: "S1928",
    plants: "an API that compresses what nobody asked it to leave as it is cannot be read",
    file: "connectors/paging/client.ts",
    find: '"accept-encoding": "identity", ',
    replace: "",
    test: "test/connectors/http/refusal.test.ts",
    title: "asks for answers that are not compressed, and says of one that is what it is",
  }),
  ofHttp({
    id: "S1925",
    plants: "nobody hears that a list of an API is read anew because its filter is another",
    file: "connectors/http/index.ts",
    find: "position.of === listOf(config).of",
    replace: "position.of !== listOf(config).first",
    test: "test/connectors/http/other-list.test.ts",
    title: "says in the report that another filter has everything read again",
  }),
  ofHttp({
    id: "S1924",
    plants: "of two members of one name of an API's row the last is sent",
    file: "connectors/paging/client.ts",
    find: "json = parseJsonExactly(text);",
    replace: "json = JSON.parse(text);",
    test: "test/connectors/http/refusal.test.ts",
    title: "takes neither of two members of one name, nor of two cursors",
  }),
  ofHttp({
    id: "S1790",
    plants: "rows that another filter of an API left out are never read",
    file: "connectors/http/pages.ts",
    find: "changedBy, rows, signOf(query)]",
    replace: "changedBy, rows]",
    title: "begins anew when another filter or another list of the answer is read",
  }),
  ofHttp({
    id: "S1791",
    plants:
      "a cursor within an object ends a list after its first page, and nobody hears of the others",
    file: "connectors/paging/paginate.ts",
    find: '    if (following === "" && isSomething(next)) {\n',
    replace: '    if (following === "" && next === true) {\n',
    title: 'does not take a page for the last whose cursor is {"after":"canary-cursor"}',
  }),
  ofHttp({
    id: "S1792",
    plants:
      "a cursor in a list of the answer is not found, so that the first page counts as the last",
    file: "connectors/http/pages.ts",
    find: "    if (items !== undefined) return",
    replace: "    if (items === undefined) return",
    title: "follows a cursor whose pointer leads through a list",
  }),
  ofHttp({
    id: "S1793",
    plants:
      "letters of an API that are not UTF-8 are other ones in the record, and nobody hears of it",
    file: "connectors/paging/client.ts",
    find: "        if (!isWhole) throw notUtf8(answer, what, fields);\n",
    replace: "",
    test: "test/connectors/http/refusal.test.ts",
    title: "takes no letters that are not UTF-8, and no byte order mark for a fault",
  }),
  ofHttp({
    id: "S1706",
    plants: "an API that was too slow once is one of which the configuration is wrong",
    file: "connectors/paging/client.ts",
    find: "new Set([408, 425, 429])",
    replace: "new Set([429])",
    test: "test/connectors/http/refusal.test.ts",
    title: "knows what 408 means, and tells nothing of the answer or of the secrets",
  }),
  ofHttp({
    id: "S254",
    plants: "an API whose pages go round in a circle is read for ever",
    file: "connectors/paging/paginate.ts",
    find: "    if (sign === this.#mark) return false;\n",
    replace: "",
    test: "test/connectors/paging/paginate.test.ts",
    title: "notices a list that never ends: one cursor",
  }),
  {
    id: "S255",
    plants: "a connector that paginates a whole list is asked for a part of it when it resumes",
    edits: [
      {
        file: "connectors/paging/paginate.ts",
        find: 'this.since = isWhole ? "" : this.#done.since;',
        replace: "this.since = this.#done.since;",
      },
    ],
    test: {
      file: "test/connectors/paging/paginate.test.ts",
      title: "R4 resumes at every page boundary",
    },
  },
  {
    id: "S256",
    plants: "an error in a connector's code tells a secret of its configuration",
    edits: [
      {
        file: "connectors/load/place.ts",
        find: "return text.replaceAll(secret.reveal(), String(secret));",
        replace: "return text.replaceAll(String(secret), secret.reveal());",
      },
    ],
    test: {
      file: "test/connectors/load/place.test.ts",
      title: "tells neither a secret of the configuration nor the text that is no JSON",
    },
  },
  ofHttp({
    id: "S62",
    plants: "a number of an API that a double carries becomes text",
    file: "src/mapping/json-row.ts",
    find: "return isCarried(number) ? Number(number)",
    replace: "return number.length <= 15 ? Number(number)",
    title: "reads a list that is the whole answer, with its digits",
  }),
  {
    id: "S63",
    plants: "the rows after a zero byte in a gzip file are not read, without a word",
    edits: [
      {
        file: "connectors/csv/parse/bytes.ts",
        find: "  if (readBytes >= size) return;\n",
        replace: "  if (readBytes <= size) return;\n",
      },
    ],
    test: {
      file: "test/connectors/csv/parse/bytes.test.ts",
      title: "stops at a gzip file that is read to a zero byte between two members",
    },
  },
  {
    id: "S66",
    plants: "the line that tells Excel the delimiter is a row",
    edits: [
      {
        file: "connectors/csv/parse/header.ts",
        find: "const [offset, line] = [markBytes + toldBytes, told === undefined ? 1 : 2];",
        replace: "const [offset, line] = [markBytes + toldBytes * 0, 1];",
      },
    ],
    test: {
      file: "test/connectors/csv/parse/header.test.ts",
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
  {
    id: "S525",
    plants: "what the harness's server throws ends the kit",
    edits: [
      {
        file: "testing/run.ts",
        find: 'process.on("uncaughtException", note);',
        replace: "",
      },
    ],
    test: {
      file: "test/src/cli/connector/test.test.ts",
      title: "reports what the harness's server throws as the failure of a check, and counts",
    },
  },
  {
    id: "S1610",
    plants: "a refused login is told as the fault of a token that the connector does not have",
    edits: [
      {
        file: "connectors/paging/client.ts",
        find: 'const hint = `Check ${logins ?? "what the connection logs in with"}.`;',
        replace: 'const hint = "Check token, or user and password.";',
      },
    ],
    test: {
      file: "test/connectors/paging/paginate.test.ts",
      title: "names what a connector logs in with, where that is refused: Check key.",
    },
  },
  {
    id: "S1611",
    plants: "of an API that cannot be reached it is said to ask for fewer rows",
    edits: [
      {
        file: "connectors/paging/client.ts",
        find: 'return error.name === "TimeoutError"\n',
        replace: "return error.name !== reach\n",
      },
    ],
    test: {
      file: "test/connectors/paging/paginate.test.ts",
      title: "says of an API that is not there to look at its address",
    },
  },
  {
    id: "S1612",
    plants: "a hook of a harness that cannot be taken back is told as a connector's fault",
    edits: [
      {
        file: "testing/checks/watch.ts",
        find: 'given is Undo => typeof given === "function";',
        replace: "given is Undo => given !== undefined;",
      },
    ],
    test: {
      file: "test/kit/failure-checks.test.ts",
      title: "says of a hook that gives nothing to take it back with that this is wrong (F3)",
    },
  },
  {
    id: "S1690",
    plants: "the kit holds the first page alone to it that its rows do not come again",
    edits: [
      {
        file: "testing/checks/again.ts",
        find: "pages.filter(({ raw }) => raw.mayComeAgain === false);",
        replace: "pages.slice(0, 1).filter(({ raw }) => raw.mayComeAgain === false);",
      },
    ],
    test: {
      file: "test/kit/again-checks.test.ts",
      title: "finds a connector that says of all pages that they do not come again",
    },
  },
  {
    id: "S1691",
    plants: "the kit asks of a source within one second whether it is the same",
    edits: [
      {
        file: "testing/checks/recognize.ts",
        find: "    await nextSecond();\n",
        replace: "",
      },
    ],
    test: {
      file: "test/kit/recognize-checks.test.ts",
      title: "finds a connector that keeps the second it was asked in",
    },
  },
  {
    id: "S1692",
    plants:
      "no secret is looked for in what `recognize` answers where nothing makes the connector fail",
    edits: [
      {
        file: "testing/checks/failures.ts",
        find: "    const forms = secrets.flatMap(formsOf);\n",
        replace:
          '    if (failures.length === 0) throw new NotShown("none");\n    const forms = secrets.flatMap(formsOf);\n',
      },
    ],
    test: {
      file: "test/kit/failure-checks.test.ts",
      title:
        "finds a connector that tells its token with what it knows a source by, also where nothing can go wrong (F5)",
    },
  },
];

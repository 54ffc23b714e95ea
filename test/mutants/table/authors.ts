import type { Mutant } from "../mutant.ts";

/** Bugs in what becomes of rows, pages and errors of connectors and mapping modules that other people write. */
export const mutantsOfAuthors: readonly Mutant[] = [
  {
    id: "S2119",
    plants: "nothing is kept of a refused row that holds a bigint",
    edits: [
      {
        file: "src/records/row-json.ts",
        find: 'typeof value === "bigint" ? String(value) : value,',
        replace: "value,",
      },
    ],
    test: {
      file: "test/src/pipeline/rejects.test.ts",
      title: "keeps of an integer beyond 2^53 what JSON can show",
    },
  },
  {
    id: "S2200",
    plants: "a login goes to any server that an API names as its next page",
    edits: [
      {
        file: "connectors/paging/client.ts",
        find: "if (origin === this.#origin || ",
        replace: "if (origin !== this.#origin || ",
      },
    ],
    test: {
      file: "test/connectors/paging/paginate.test.ts",
      title: "sends a login to no other server, whatever address the API names as its next page",
    },
  },
  {
    id: "S2203",
    plants: "a command breaks off where a source asks to wait for longer than any date can say",
    edits: [
      {
        file: "src/cli/running/wait-for-source.ts",
        find: "if (ms > yearMs)",
        replace: "if (ms < 0)",
      },
    ],
    test: {
      file: "test/src/cli/running/wait-for-source.test.ts",
      title:
        "says when to try again where the source asks for 999999999999999999999999999999 seconds",
    },
  },
  {
    id: "S2121",
    plants:
      "an error of a connector's own code ends `check` before the other connections are shown",
    edits: [
      {
        file: "src/cli/project/check.ts",
        find: "    return { name, ok: false, detail: isLate ? late : messageOf(error) };",
        replace: "    if (!isLate) throw error;\n    return { name, ok: false, detail: late };",
      },
    ],
    test: {
      file: "test/src/cli/project/check.test.ts",
      title: "says of a connector that throws something of its own what it was",
    },
  },
  {
    id: "S2124",
    plants:
      "the rows of every page of an external connector are made, whether or not somebody asks",
    edits: [
      {
        file: "connectors/load/place.ts",
        find: "= page.cells === undefined ? [...page.rows] : undefined;",
        replace: "= [...page.rows];",
      },
    ],
    test: {
      file: "test/connectors/load/place.test.ts",
      title: "hands on a page as it is, and has no rows made that nobody asks for",
    },
  },
  {
    id: "S2126",
    plants:
      "`preview` shows the properties of another row where a mapping module uses one object for all",
    edits: [
      {
        file: "src/pipeline/lines.ts",
        find: "page.candidates.add(place, { key });",
        replace: "page.candidates.add(place, { key, record });",
      },
      {
        file: "src/pipeline/candidates/candidates.ts",
        find: "return { ...place, key: made.key };",
        replace: "return { ...made, ...place };",
      },
      {
        file: "src/pipeline/page.ts",
        find: "return recordSchema.parse(",
        replace: "return candidate.record ?? recordSchema.parse(",
      },
    ],
    test: {
      file: "test/src/pipeline/lines.test.ts",
      title: "has of each record what its line says, also where a mapping uses one object for all",
    },
  },
  {
    id: "S2248",
    plants:
      "a time that is no number, which a connector's author took from a header, is waited for",
    edits: [
      {
        file: "src/errors.ts",
        find: "Number.isFinite(facts.afterMs) ? facts.afterMs : undefined",
        replace: "facts.afterMs",
      },
    ],
    test: {
      file: "test/activities/stage/patience.test.ts",
      title: "waits for no source whose time is no number",
    },
  },
  {
    id: "S2249",
    plants: "what a connector gives in place of an event's text comes to the inbox",
    edits: [
      {
        file: "src/webhooks/delivery-handler.ts",
        find: "    assertTexts(events);\n",
        replace: "    if (events.length === 0) assertTexts(events);\n",
      },
    ],
    test: {
      file: "test/src/webhooks/given-events.test.ts",
      title:
        "answers only the delivery with 500 whose connector gives an id that is a number, and takes the next",
    },
  },
  {
    id: "S2250",
    plants: "a connector's own page keeps the list that is filled again for the next page",
    edits: [
      {
        file: "connectors/load/place.ts",
        find: "[...page.rows]",
        replace: "page.rows",
      },
    ],
    test: {
      file: "test/connectors/read-span.test.ts",
      title: "keeps the rows of a page where a connector fills one list again and again",
    },
  },
  {
    id: "S2251",
    plants: "a connector of one's own whose position stays is read for ever",
    edits: [
      {
        file: "connectors/own-positions.ts",
        find: "last !== undefined && last.kept === kept",
        replace: "last !== undefined && last.kept !== last.kept",
      },
    ],
    test: {
      file: "test/connectors/read-span.test.ts",
      title: "stops a read whose position stays while rows come: { offset: 7 }",
    },
  },
  {
    id: "S2253",
    plants: "an error that the config of a connector throws is shown with its words",
    edits: [
      {
        file: "src/config/schema/sources.ts",
        find: "if (error instanceof SluiceError) throw error;",
        replace: "if (error instanceof Error) throw error;",
      },
    ],
    test: {
      file: "test/src/config/schema/schema-fault.test.ts",
      title: "names the connector whose config throws a TypeError, and no member's value",
    },
  },
  {
    id: "S2254",
    plants: "a run maps by a CommonJS module as it was before it was edited",
    edits: [
      {
        file: "src/mapping/module.ts",
        find: "    Reflect.deleteProperty(commonJs.cache, await realpath(path));\n",
        replace: "",
      },
    ],
    test: {
      file: "test/src/mapping/module.test.ts",
      title: "maps by the file as it is now where it is CommonJS",
    },
  },
  {
    id: "S2255",
    plants: "a time that no timer carries ends a request at once",
    edits: [
      {
        file: "connectors/paging/client.ts",
        find: "Math.min(timeoutMs, timerMsMax)",
        replace: "timeoutMs",
      },
    ],
    test: {
      file: "test/connectors/paging/client.test.ts",
      title: "waits for an answer also where it may take 60 days",
    },
  },
];

import { planting, type Mutant } from "../mutant.ts";

const ofAhead = planting({ file: "test/connectors/http/ahead.test.ts", title: "waits" });
const ofMoved = planting({
  file: "test/connectors/http/moved.test.ts",
  title: "is read: alone at its time",
});
const ofConfig = planting({ file: "test/connectors/http/config.test.ts", title: "refuses" });

/** Bugs in reading what changed in the list of an API, by the times of its rows. */
export const mutantsOfLists: readonly Mutant[] = [
  ofAhead({
    id: "S1950",
    plants: "a row of an API that is stamped later than now hides every later change for good",
    file: "connectors/paging/paginate.ts",
    find: "entries.filter(({ group }) => !isAhead(group))",
    replace: "entries.filter(({ group }) => group !== undefined)",
    title: "waits, and hides no later change (cursor, from)",
  }),
  ofAhead({
    id: "S1951",
    plants: "what a row stamped later than now has hidden is never read",
    file: "connectors/paging/paginate.ts",
    find: "isWhole ? from : notAhead(from, begin)",
    replace: "from",
    title: "hides nothing where a position holds it after a row of its time",
  }),
  ofMoved({
    id: "S1952",
    plants: "a row of an API that moves to a page of known rows is never read",
    file: "connectors/paging/paginate.ts",
    find: "if (this.#isInclusive !== true || this.since === at) return false;",
    replace: "if (this.since !== undefined) return false;",
  }),
  ofMoved({
    id: "S1953",
    plants: "an API whose page is full of rows of one time is asked for ever",
    file: "connectors/paging/paginate.ts",
    find: "this.since === since || this.since === at) return false;",
    replace: "this.since === since) return false;",
    title: "is not waited for where a page is full of rows of one time",
  }),
  ofAhead({
    id: "S1954",
    plants: "what changes in the hour after clocks were put back is passed over",
    file: "connectors/paging/entries.ts",
    find: 'return utcOf(change) ?? change.replace(/Z$/, "");',
    replace: 'return utcOf("") ?? change.replace(/Z$/, "");',
    test: "test/connectors/http/offsets.test.ts",
    title: "are in their order where clocks are put back",
  }),
  ofConfig({
    id: "S2120",
    plants: "a filter in the path of an http connection is dropped, and everything is sent",
    file: "connectors/http/config.ts",
    find: "    .regex(/^\\/[^?#]*$/, ",
    replace: "    .regex(/^\\//, ",
  }),
  {
    id: "S2122",
    plants:
      "a token with a line break is taken for an API that cannot be reached, for twelve hours",
    edits: [
      {
        file: "connectors/paging/client.ts",
        find: "    assertCarried(headers, what, fields);\n",
        replace: "",
      },
    ],
    test: {
      file: "test/connectors/http/refusal.test.ts",
      title: "is refused before a request, and not tried again: a line break",
    },
  },
  ofConfig({
    id: "S2123",
    plants: "an address with an impossible port is tried for twelve hours",
    file: "connectors/http/config.ts",
    find: "URL.canParse(url)",
    replace: 'url !== ""',
  }),
];

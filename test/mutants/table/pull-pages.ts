import type { Mutant } from "../mutant.ts";

/** Mutants of the pages of pulls: those that fail, that are refused, and that came too long ago. */
export const mutantsOfPullPages: readonly Mutant[] = [
  {
    id: "S2175",
    plants: "a domain that the service fails on is asked for, and paid for, for ever",
    edits: [
      {
        file: "activities/pull/failing-page.ts",
        find: "const halvings = Math.floor(failures / failuresMax);",
        replace: "const halvings = 0;",
      },
    ],
    test: {
      file: "test/activities/pull/failing-page.test.ts",
      title: "is a reject once another request got through, and the others are asked for",
    },
  },
  {
    id: "S2176",
    plants: "a search whose cursor is refused asks with it again, night after night",
    edits: [
      {
        file: "activities/pull/fetch.ts",
        find: "if (isAnew) await state.setPass({ ...step, pass: null });",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/pull/refused-cursor.test.ts",
      title: "begins anew with the next run when its cursor is refused",
    },
  },
  {
    id: "S2177",
    plants:
      "a page that waits is written over newer values of a pull that shares some of its columns",
    edits: [
      {
        file: "src/state/store/pull/pull-pages.ts",
        find: "if (!isSameWriting && !alsoWrites.includes(name.pull)) continue;",
        replace: "if (!isSameWriting) continue;",
      },
    ],
    test: {
      file: "test/activities/pull/open.test.ts",
      title: "asks again for a page whose columns another pull wrote among others",
    },
  },
  {
    id: "S2256",
    plants: "a page on its way is written although another pull has fetched newer values meanwhile",
    edits: [
      {
        file: "src/state/store/pull/pull-pages.ts",
        find: "return (await isHere(queries, step)) && (await hasPage(queries, step));",
        replace: "return await isHere(queries, step);",
      },
    ],
    test: {
      file: "test/activities/pull/slept-host.test.ts",
      title: "writes no page into a table to which another pull, opened before it came",
    },
  },
  {
    id: "S2257",
    plants: "the first look at the place of a pull holds for as long as its page is written",
    edits: [
      {
        file: "activities/pull/write.ts",
        find: "sinceLookMs() < lookHoldsMs",
        replace: "sinceLookMs() < lookHoldsMs * 1e9",
      },
    ],
    test: {
      file: "test/activities/pull/slept-host.test.ts",
      title: "looks again whether a page is to be written once a second has passed",
    },
  },
  {
    id: "S2258",
    plants: "the place of a pull is looked at before each statement of its page",
    edits: [
      {
        file: "activities/pull/write.ts",
        find: "    sinceLookMs = passedMs;\n",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/pull/slept-host.test.ts",
      title: "looks once for the many statements of a page of which half the rows are refused",
    },
  },
  {
    id: "S2259",
    plants: "one 404 of a gateway makes a search pay for all its pages again",
    edits: [
      {
        file: "activities/pull/fetch.ts",
        find: "const isAnew = error.status !== 404;",
        replace: "const isAnew = error.status !== 0;",
      },
    ],
    test: {
      file: "test/activities/pull/refused-cursor.test.ts",
      title: "keeps its pass when a page is refused with 404",
    },
  },
  {
    id: "S2178",
    plants: "a pull fails where the table that it writes lacks the change column of its connection",
    edits: [
      {
        file: "connectors/identities.ts",
        find: 'const isWritten = kind === "pull";',
        replace: "const isWritten = false;",
      },
    ],
    test: {
      file: "test/activities/pull/open.test.ts",
      title: "writes through a connection whose change column the table does not have",
    },
  },
  {
    id: "S2179",
    plants: "a link to a file that is not there yet is replaced by a file",
    edits: [
      {
        file: "connectors/csv/replace-file.ts",
        find: "path: await madeAt(path)",
        replace: "path",
      },
    ],
    test: {
      file: "test/connectors/csv/replace-file.test.ts",
      title: "makes the file that links lead to where it is not there yet, and leaves the links",
    },
  },
  {
    id: "S2180",
    plants: "a page that waited for its connection is written, whoever has gone on meanwhile",
    edits: [
      {
        file: "connectors/postgres/write.ts",
        find: "    await to.beforeWrite?.();\n",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/pull/slept-host.test.ts",
      title:
        "writes no page into a table to which it was not let until another attempt had gone on",
    },
  },
  {
    id: "S2181",
    plants: "a pull of one page, of which every result was refused, counts as a success",
    edits: [
      {
        file: "activities/pull/pages.ts",
        find: "  if (end !== null) assertFew();\n",
        replace: "",
      },
    ],
    test: {
      file: "test/activities/pull/pages.test.ts",
      title: "fails also when the last page brings more than the limit allows",
    },
  },
  {
    id: "S2182",
    plants: "a file of domains that changes while it is read fails its pull at once",
    edits: [
      {
        file: "activities/pull/domains.ts",
        find: "(await state.countFault(fault)).times >= faultTimesMax",
        replace: "(await state.countFault(fault)).times >= 1",
      },
    ],
    test: {
      file: "test/activities/pull/domains.test.ts",
      title: "reads a file again that changes while it is read, but not for ever",
    },
  },
];

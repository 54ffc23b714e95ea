import type { Mutant } from "../mutant.ts";

const ui = "src/cli/ui";
const serverTest = "test/src/cli/ui/server.test.ts";
const pagesTest = "test/src/cli/ui/pages.test.ts";
const htmlTest = "test/src/cli/ui/html.test.ts";
const figuresTest = "test/src/state/store/figures.test.ts";

/** Mutants of the pages of `sluice ui`. */
export const mutantsOfPages: readonly Mutant[] = [
  {
    id: "S1160",
    plants: "what a page shows is not escaped",
    edits: [
      {
        file: `${ui}/html.ts`,
        find: "return escaped(String(value));",
        replace: "return String(value);",
      },
    ],
    test: { file: pagesTest, title: "show what a source holds as text" },
  },
  {
    id: "S1161",
    plants: "a quote ends an attribute of a page",
    edits: [{ file: `${ui}/html.ts`, find: `/[&<>"']/g`, replace: "/[&<>]/g" }],
    test: { file: htmlTest, title: "escapes every value" },
  },
  {
    id: "S1162",
    plants: "a web page whose name leads here may read the pages",
    edits: [
      {
        file: `${ui}/guard.ts`,
        find: "return !loopback.has(at) && isIP(name) !== 0;",
        replace: "return true;",
      },
    ],
    test: { file: serverTest, title: "is whoever asks by an address or as localhost" },
  },
  {
    id: "S1163",
    plants: "the pages need no token at an address that others reach",
    edits: [
      {
        file: `${ui}/guard.ts`,
        find: "if (loopback.has(host)) return;",
        replace: 'if (host !== "") return;',
      },
    ],
    test: { file: serverTest, title: "is who has the token" },
  },
  {
    id: "S1164",
    plants: "whoever has no token sees the pages",
    edits: [
      {
        file: `${ui}/guard.ts`,
        find: "if (token === undefined || compare",
        replace: "if (headers.authorization === undefined || token === undefined || compare",
      },
    ],
    test: { file: serverTest, title: "is who has the token" },
  },
  {
    id: "S1165",
    plants: "rows are shown to whoever did not ask for them",
    edits: [
      {
        file: `${ui}/pages/rejects.ts`,
        find: "if (!showsRows || row === null) return undefined;",
        replace: "if (row === null) return undefined;",
      },
    ],
    test: { file: pagesTest, title: "show what a source holds as text" },
  },
  {
    id: "S1166",
    plants: "a page looks up for each who asks",
    edits: [
      {
        file: `${ui}/kept-pages.ts`,
        find: "if (known !== undefined) return known.page;",
        replace: "",
      },
      { file: `${ui}/kept-pages.ts`, find: "const known = this.#kept.get(name);", replace: "" },
    ],
    test: { file: serverTest, title: "have the page looked up once" },
  },
  {
    id: "S1167",
    plants: "any number of pages is looked up at once",
    edits: [
      {
        file: `${ui}/kept-pages.ts`,
        find: "const looksMax = 2;",
        replace: "const looksMax = 2_000;",
      },
    ],
    test: { file: serverTest, title: "are looked up two at a time" },
  },
  {
    id: "S1168",
    plants: "another site may have the pages looked up",
    edits: [
      {
        file: `${ui}/guard.ts`,
        find: `headers["sec-fetch-site"] === "cross-site" &&`,
        replace: `headers["sec-fetch-site"] === "another" &&`,
      },
    ],
    test: { file: serverTest, title: "is no other site" },
  },
  {
    id: "S1169",
    plants: "the service's name of a file is shown",
    edits: [
      {
        file: `${ui}/pages/record.ts`,
        find: "({ ...part, fileKey: null })",
        replace: "({ ...part })",
      },
    ],
    test: { file: pagesTest, title: "explain a record without the service's name" },
  },
  {
    id: "S1170",
    plants: "a command to paste is not quoted for a shell",
    edits: [
      {
        file: `${ui}/words.ts`,
        find: String.raw`/^[\w./:=@%+-]+$/.test(word)`,
        replace: "word.length > 0",
      },
    ],
    test: { file: pagesTest, title: "give the commands that replay and explain" },
  },
  {
    id: "S1171",
    plants: "rejects are found under every reason",
    edits: [
      {
        file: "src/state/store/rejects/rejects.ts",
        find: "${isGiven(code, sql`r.code = ${code}`)}",
        replace: "",
      },
    ],
    test: { file: figuresTest, title: "find rejects by run, reason and time" },
  },
  {
    id: "S1172",
    plants: "the figures of a run count what it gave up",
    edits: [
      {
        file: "src/state/store/runs/figures.ts",
        find: "where run_id in ${ids} and state in ('committed', 'cut') group by run_id",
        replace: "where run_id in ${ids} group by run_id",
      },
    ],
    test: { file: figuresTest, title: "count what each of the newest runs committed" },
  },
  {
    id: "S1264",
    plants: "the page of a run that is under way stays as it was",
    edits: [
      {
        file: `${ui}/pages/run.ts`,
        find: 'const isLive = outcome === "running";',
        replace: 'const isLive = outcome === "done";',
      },
    ],
    test: { file: pagesTest, title: "look again by themselves while a run is under way" },
  },
  {
    id: "S1265",
    plants: "without JavaScript no page looks again",
    edits: [{ file: `${ui}/layout.ts`, find: "${isLive ? again : undefined}", replace: "" }],
    test: { file: pagesTest, title: "look again by themselves while a run is under way" },
  },
  {
    id: "S1989",
    plants: "a page offers to approve a held run whose workflow was ended from outside",
    edits: [
      {
        file: "src/cli/status/left-holds.ts",
        find: "return lost ?? whyUnsendable(config, run);",
        replace: "return lost === seen ? lost : whyUnsendable(config, run);",
      },
    ],
    test: {
      file: "test/src/cli/ui/held-page.test.ts",
      title: "pages offer no approve of a held run whose workflow was ended from outside",
    },
  },
  {
    id: "S1998",
    plants: "a held run whose sync was renamed and whose workflow is gone is told to be discarded",
    edits: [
      {
        file: "src/cli/status/left-holds.ts",
        find: "const lost = isLeft ? undefined",
        replace: "const lost = isLeft || sync === undefined ? undefined",
      },
    ],
    test: {
      file: "test/src/cli/status/left-holds.test.ts",
      title: "is said to be noted by a worker where its sync has another name by now",
    },
  },
  {
    id: "S2017",
    plants: "the page of rejects has none of a run that sent to another address",
    edits: [
      {
        file: "src/cli/ui/pages/rejects.ts",
        find: "named?.target ?? targetOf(config.api)",
        replace: "targetOf(config.api)",
      },
    ],
    test: {
      file: "test/src/cli/ui/pages.test.ts",
      title: "show the rejects of a run that sent elsewhere where they are asked for by its name",
    },
  },
  {
    id: "S2163",
    plants: "the page of rejects advises a replay of a pull, which is always refused",
    edits: [
      {
        file: "src/cli/ui/pages/rejects.ts",
        find: 'rejectState(reject) === "open"',
        replace: 'rejectState(reject) !== ""',
      },
    ],
    test: {
      file: "test/src/cli/ui/pages.test.ts",
      title: "give no replay of what nothing replays, such as the rejects of a pull",
    },
  },
  {
    id: "S2236",
    plants: "the page of what waits names commands that refuse a backfill",
    edits: [
      {
        file: "src/cli/ui/pages/held.ts",
        find: 'kind === "backfill" ? [["backfill"',
        replace: 'kind === "sync" ? [["backfill"',
      },
    ],
    test: {
      file: "test/src/cli/ui/held-page.test.ts",
      title:
        "the page of what waits names what answers the plan of a backfill, until something of it is staged",
    },
  },
];

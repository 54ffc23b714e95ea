import { open } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { describe, expect, it, onTestFinished } from "vitest";

import { ConfigError, SourceChangedError } from "../../../src/errors.ts";
import type { TestCase } from "../../../testing/case.ts";
import type { Changes } from "../result-of.ts";
import { list, rows, tried } from "./list.ts";

type Case = { what: string; testCase: Partial<TestCase>; changes?: Changes };
type RedCase = Case & { said: string };

const change = async (): Promise<void> => undefined;

/** A list that cannot be cut. */
const uncut: Changes = {
  split: async () => {
    throw new ConfigError("it cannot be cut", { field: "table", hint: "Read it whole." });
  },
};

/** A case that only `split` refuses. */
function splitRefused(says: string): Partial<TestCase> {
  return { isUncut: true, refused: { split: { code: "ConfigError", field: "table", says } } };
}

/** Everything is read anew. */
const anew = { startsOver: true, rows };
const emptied = [{ key: { id: "1" }, set: { text: "" } }];

/** Considers every position to be of another configuration. */
const forgetful: Changes = { rewind: () => undefined };

/** Logs that it begins. */
const logging: Changes = {
  async *read(ask) {
    ask.log.info("begins", { at: 0 });
    yield* list(rows).read?.(ask) ?? [];
  },
};

/** Ends a read after its first page, like a source that notices a change. */
const noticing: Changes = {
  async *read(ask) {
    for await (const page of list(rows).read?.(ask) ?? []) {
      yield page;
      if (isChanged) throw new SourceChangedError("the list is another one");
    }
  },
};

/** Refuses to write a column. */
const unwritable: Changes = {
  checkWrite: async ({ columns }) => {
    if (!columns.set.includes("text")) return;
    throw new ConfigError("text is not written", { field: "table", hint: "Read it." });
  },
};
const unwritten = { code: "ConfigError", field: "table", says: "text is not written" };

/** Says that it was another list, if `known` says so. */
const known: Changes = {
  recognize: async (ask) => {
    const isOther = ask.known === "another";
    return {
      identity: { of: "five rows", position: ask.position?.id ?? "" },
      shown: "a list of five",
      ...(isOther && { differs: "it was longer", beginsAnew: true }),
    };
  },
};

/** Says of all pages that the next run does not come back to them, although it goes back a row. */
const unfollowed: Changes = {
  async *read(ask) {
    for await (const page of list(rows).read?.(ask) ?? []) yield { ...page, mayComeAgain: false };
  },
};

let isChanged = false;
const changing = async (): Promise<void> => {
  isChanged = true;
};
const noticed = { code: "SourceChanged", says: "another one" };

describe("what a case says besides its rows", () => {
  const right: readonly Case[] = [
    { what: "names of rows", testCase: { names: { "0": 0, "4": 4 } } },
    { what: "the rows of its parts", testCase: { splits: { 2: [2, 3], 3: [3, 2] } } },
    { what: "that no values repeat", testCase: { repeats: { "id, text": "once" } } },
    { what: "that no cell is told by bytes", testCase: { cells: 0 } },
    { what: "what `measure` tells of the whole", testCase: { measure: { rows: 5, exact: true } } },
    { what: "in how many pages it comes", testCase: { pages: 1 } },
    { what: "that nothing is logged", testCase: { logs: [] } },
    { what: "what is logged", testCase: { logs: ["begins"] }, changes: logging },
    { what: "what is refused beside a read", testCase: splitRefused("whole"), changes: uncut },
    {
      what: "what may not be written",
      testCase: { writes: [{ patches: emptied, answers: ["rejected"], checkThrows: unwritten }] },
      changes: unwritable,
    },
    {
      what: "what is known of it",
      testCase: {
        recognizings: [
          { shown: "a list of five", identity: { of: "five rows", position: "5" } },
          { known: () => "another", differs: "it was longer", beginsAnew: true },
        ],
      },
      changes: known,
    },
    {
      what: "that positions mean nothing then",
      testCase: { overlap: 5, afterwards: anew },
      changes: forgetful,
    },
    {
      what: "that a read continues",
      testCase: { afterwards: { isMeanwhile: true, change, rows: rows.slice(3) } },
    },
  ];
  it.each(right)("is green with $what", async ({ testCase, changes }) => {
    expect((await tried(testCase, changes)).text).toBe("");
  });

  it("is green when the read that continues notices the change", async () => {
    onTestFinished(() => void (isChanged = false));
    const afterwards = { isMeanwhile: true, change: changing, throws: noticed };
    expect((await tried({ afterwards }, noticing)).text).toBe("");
  });

  const wrong: readonly RedCase[] = [
    {
      what: "a name of another row",
      testCase: { names: { "0": 1 } },
      said: "each row by its name; came others",
    },
    {
      what: "a name of none",
      testCase: { names: { "0": false } },
      said: "each row by its name; came others",
    },
    {
      what: "of values that repeat",
      testCase: { repeats: { id: "often" } },
      said: "`repeats` of id to be often; came once",
    },
    {
      what: "of cells that only objects tell",
      testCase: { cells: 10 },
      said: "10 cells that bytes alone give; came 0",
    },
    {
      what: "more pages",
      testCase: { pages: 2 },
      said: "2 pages of 1,000 rows; came 1",
    },
    {
      what: "other parts",
      testCase: { splits: { 2: [1, 4] } },
      said: "parts of 1, 4; came 2, 3",
    },
    {
      what: "another `measure`",
      testCase: { measure: { rows: 4 } },
      said: "the `measure` that it has; came another",
    },
    {
      what: "a line that is not logged",
      testCase: { logs: ["begins"] },
      said: "1 lines in the log that say so; came 0 lines",
    },
    {
      what: "a line too many",
      testCase: { logs: [] },
      changes: logging,
      said: "0 lines in the log that say so; came 1 lines",
    },
    {
      what: "no refusal beside a read",
      testCase: splitRefused(""),
      said: "ConfigError of table by `split`; came none",
    },
    {
      what: "another word",
      testCase: splitRefused("Cut it."),
      changes: uncut,
      said: 'ConfigError of table by `split` that says "Cut it."; came one that says something else',
    },
    {
      what: "positions that mean something",
      testCase: { afterwards: anew },
      said: "a position that means nothing now; came one that is continued from",
    },
    {
      what: "a position that means nothing to the next run",
      testCase: { overlap: 5 },
      changes: forgetful,
      said: "a position that is continued from; came one that means nothing now",
    },
    {
      what: "other rows meanwhile",
      testCase: { afterwards: { isMeanwhile: true, change } },
      said: "0 rows by a read that continues; came 2",
    },
    {
      what: "a change that nobody notices",
      testCase: { afterwards: { isMeanwhile: true, change, throws: noticed } },
      said: "SourceChanged by a read that continues; came none",
    },
    {
      what: "columns that nothing keeps from being written",
      testCase: { writes: [{ patches: emptied, answers: ["rejected"], checkThrows: unwritten }] },
      changes: { checkWrite: async () => undefined },
      said: "ConfigError of table by `checkWrite`; came none",
    },
    {
      what: "another list",
      testCase: { recognizings: [{ known: () => "another" }] },
      changes: known,
      said: 'the same source by `recognizings[0]`; came one with `differs: "it was longer"`',
    },
    {
      what: "the same list",
      testCase: { recognizings: [{ differs: "it was longer" }] },
      changes: known,
      said: 'one with `differs: "it was longer"` by `recognizings[0]`; came the same source',
    },
    {
      what: "another list that may be continued",
      testCase: { recognizings: [{ known: () => "another", differs: "it was longer" }] },
      changes: known,
      said: "`beginsAnew` to be false by `recognizings[0]`; came the other",
    },
    {
      what: "a list of another name",
      testCase: { recognizings: [{ shown: "a list of six" }] },
      changes: known,
      said: 'a source with "a list of six" in `shown` by `recognizings[0]`; came "a list of five"',
    },
    {
      what: "another identity",
      testCase: { recognizings: [{}, { identity: { of: "six rows" } }] },
      changes: known,
      said: "the identity that it has by `recognizings[1]`; came another",
    },
    {
      what: "rows that come again, and were not to",
      testCase: {},
      changes: unfollowed,
      said: "only rows in the next run of pages without `mayComeAgain: false`; came 1 rows",
    },
    {
      what: "another reason",
      testCase: { writes: [{ patches: emptied, answers: [{ rejected: "no" }] }] },
      said: "no of patches once; came empty",
    },
  ];
  it.each(wrong)("is red with $what", async ({ testCase, changes, said }) => {
    const { state, text } = await tried(testCase, changes);
    expect(text).toContain(`expected of a list: ${said}`);
    expect(state).toBe("failed");
  });

  it("is red when columns that are written may not be", async () => {
    const writes = [{ patches: emptied, answers: ["rejected"] }] as const;
    const { text } = await tried({ writes }, unwritable);
    expect(text).toContain(
      "`checkWrite` to let id and text through, as `write` does; came text is not",
    );
  });

  it("is red when rows are called otherwise once a read continues", async () => {
    const counting: Changes = {
      async *read(ask) {
        let place = 0;
        for await (const page of list(rows).read?.(ask) ?? []) {
          const first = place;
          yield { ...page, where: (index) => String(first + index) };
          place += page.rows.length;
        }
      },
    };
    const { text } = await tried({}, counting);
    expect(text).toContain("rows to be called the same after 2 rows and 0 rejects; came 3 others");
  });

  it("is red when a file is left open", async () => {
    const leaving: Changes = {
      async *read(ask) {
        const file = await open(fileURLToPath(import.meta.url));
        onTestFinished(async () => await file.close());
        yield* list(rows).read?.(ask) ?? [];
      },
    };
    expect((await tried({}, leaving)).text).toContain("no file left open; came ");
  });

  it("takes back what was made, whatever came of it", async () => {
    let undone = 0;
    const undo = async (): Promise<void> => {
      undone += 1;
    };
    await tried({ undo });
    expect((await tried({ undo, rows: [] })).state).toBe("failed");
    expect(undone).toBe(2);
  });

  it("reads one that is not to be cut only whole", async () => {
    // Otherwise `split` would turn the case red.
    const parting: Changes = { split: async () => [] };
    expect((await tried({ isUncut: true }, parting)).text).toBe("");
    expect((await tried({}, parting)).text).toContain("5 rows in 0 parts; came 0");
  });
});

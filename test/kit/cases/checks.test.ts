import { describe, expect, it } from "vitest";

import { ConfigError, SourceChangedError } from "../../../src/errors.ts";
import type { TestCase } from "../../../testing/case.ts";
import { caseChecks } from "../../../testing/checks/cases/cases.ts";
import { resultOf, type Changes } from "../result-of.ts";
import { at, found, gotOf, list, malformed, rows, tried } from "./list.ts";

/** The result for a wrong setting that the schema refuses, when the case expects this member to be at fault. */
async function refusedBy(field: string): Promise<string> {
  const throws = { code: "ConfigError", field };
  return (await tried({ make: async () => ({ timeout_ms: "soon" }), throws })).text;
}

/** A source that cannot be read is asked for nothing. */
const unread: Partial<TestCase> = { rows: [], places: {}, times: {}, findings: [] };

describe("check R21", () => {
  it("is green when all is as the harness says", async () => {
    expect(await tried({})).toMatchObject({ state: "passed", text: "" });
  });

  it("is green with the rejects that the harness says", async () => {
    const rejects = [{ where: "list:3", code: "no_text", row: "3" }];
    const changes = list(rows, [malformed]);
    const afterwards = { change: async () => undefined, rows: rows.slice(2), rejects };
    expect(await tried({ rejects, afterwards }, changes)).toMatchObject({
      state: "passed",
      text: "",
    });
  });

  it("is not shown without cases", async () => {
    const result = await resultOf(caseChecks, "R21", { without: ["cases"] });
    expect(result).toMatchObject({ state: "not shown", text: "the harness has no `cases`" });
  });

  it.each<[what: string, testCase: Partial<TestCase>, said: string]>([
    ["a row more", { rows: [...rows, ...rows.slice(0, 1)] }, "6 rows in pages of 3; came 5"],
    [
      "another cell",
      { rows: rows.with(1, { id: "2", text: "?" }) },
      "row 2 of 5 as it was written in pages of 3; came another text",
    ],
    ["no reject", { rejects: [malformed] }, "1 rejects in pages of 3; came 0"],
    ["other columns", { columns: ["id"] }, "`columns` to be id; came id, text"],
    [
      "another overlap",
      { overlap: 0 },
      "0 rows in the next run, as the case's `overlap` says; came 1",
    ],
    ["another place", { places: { "3": 1 } }, "1 rows before 3; came 2"],
    ["a place that is none", { places: { "3": false } }, "ConfigError before 3; came none"],
    [
      "another time",
      { times: { "2024-05-02T00:00:00Z": 1 } },
      "1 rows before 2024-05-02T00:00:00Z; came 2",
    ],
    [
      "another finding",
      { findings: [{ name: "list", detail: "six" }] },
      "list to be found as it is; came five rows",
    ],
    ["no such finding", { findings: [{ name: "key" }] }, "`check` to find key; came 1 others"],
    [
      "another read limit",
      { readLimit: { future: 3 } },
      "the `readLimit` that it has; came another",
    ],
    [
      "another discovery",
      { discoveries: [{ ...found, key: [] }] },
      "list to be discovered as it is; came something else of it",
    ],
    [
      "no such discovery",
      { discoveries: [{ ...found, name: "lists" }] },
      "lists to be discovered; came 1 others",
    ],
    [
      "another answer",
      { writes: [{ patches: [], answers: ["written"] }] },
      "written of patches once; came nothing",
    ],
    [
      "what was not written",
      { writes: [{ patches: [], left: async () => "", leaves: "text" }] },
      "what was written to be there once; came others",
    ],
    [
      "no refusal of a write",
      { writes: [{ patches: [], throws: { code: "ConfigError" } }] },
      "ConfigError by a write; came none",
    ],
    [
      "other rows then",
      { afterwards: { change: async () => undefined } },
      "0 rows after it was changed; came 2",
    ],
    [
      "no error then",
      { afterwards: { change: async () => undefined, throws: { code: "SourceChanged" } } },
      "SourceChanged by a read; came none",
    ],
    [
      "no error",
      { throws: { code: "ConfigError", field: "table" }, ...unread },
      "ConfigError of table by a read; came none",
    ],
  ])("is red with %s", async (_, testCase, said) => {
    const { state, text } = await tried(testCase);
    expect(text).toContain(`expected of a list: ${said}`);
    expect(state).toBe("failed");
  });

  it.each<[what: string, changes: Changes, said: string]>([
    ["a position that lies wrong", list(rows.slice(1)), "5 rows in pages of 3; came 4"],
    [
      "a part that is missing",
      { split: async () => [{ from: at(1) }] },
      "5 rows in 1 parts; came 4",
    ],
    [
      "a count that is wrong",
      { measure: async () => ({ rows: 1, exact: true }) },
      "`measure` to count 3 rows where as many were read; came 1",
    ],
    [
      "a row of another name",
      { get: async ({ names }) => gotOf(names, () => rows[0] ?? {}) },
      "row 1 of 5 as it was written by their names; came another id, text",
    ],
    [
      "a row that is missing",
      { get: async ({ names }) => ({ rows: [], missing: names, where: String }) },
      "no row to be missing; came 5",
    ],
    [
      "another text of a row",
      { get: async (ask) => ({ ...gotOf(ask.names, (place) => rows[place] ?? {}), text: String }) },
      "what was read of rows as `read` gives it; came another text",
    ],
    [
      "a fault that is none",
      { check: async () => [{ name: "list", ok: false, fix: "Write it." }] },
      "`check` to find it all right; came a fault in list",
    ],
  ])("is red with %s", async (_, changes, said) => {
    const { state, text } = await tried({}, changes);
    expect(text).toContain(`expected of a list: ${said}`);
    expect(state).toBe("failed");
  });

  const missing = { name: "table", ok: false, fix: "Write one that is there." };

  const refusing: Changes = {
    // oxlint-disable-next-line require-yield
    async *read() {
      throw new ConfigError("there is no such table", { field: "table" });
    },
  };

  it("is green with a setting that `read` refuses and `check` finds", async () => {
    const throws = { code: "ConfigError", field: "table" };
    const findings = [{ name: "table", ok: false }];
    expect(
      await tried({ ...unread, throws, findings }, { ...refusing, check: async () => [missing] }),
    ).toMatchObject({ text: "" });
  });

  it.each<[what: string, testCase: Partial<TestCase>, said: string]>([
    [
      "no finding",
      { throws: { code: "ConfigError", field: "table" }, ...unread },
      "of a list: a fault found by `check`; came none",
    ],
    [
      "another field",
      { throws: { code: "ConfigError", field: "url" }, ...unread },
      "of a list: ConfigError of url by a read; came ConfigError of table",
    ],
    [
      "another error",
      { throws: { code: "Unavailable" }, ...unread },
      "of a list: Unavailable by a read; came ConfigError of table",
    ],
    [
      "an error that nobody expects",
      {},
      "no error from a list; came ConfigError: there is no such table",
    ],
  ])("is red with %s", async (_, testCase, said) => {
    expect((await tried(testCase, refusing)).text).toContain(`expected ${said}`);
  });

  it("holds against the schema what the schema refuses", async () => {
    expect(await refusedBy("timeout_ms")).toBe("");
    expect(await refusedBy("url")).toContain(
      "ConfigError of url by its schema; came one of timeout_ms",
    );
  });

  it("is green when what was changed is noticed", async () => {
    let isChanged = false;
    const { read } = list(rows);
    const changes: Changes = {
      async *read(ask) {
        if (isChanged) throw new SourceChangedError("the list is another one");
        if (read !== undefined) yield* read(ask);
      },
    };
    const change = async (): Promise<void> => {
      isChanged = true;
    };
    const afterwards = { change, throws: { code: "SourceChanged" } };
    expect(await tried({ afterwards }, changes)).toMatchObject({ text: "" });
  });
});

import { describe, expect, it } from "vitest";

import { ConfigError, SourceAuthError } from "../../src/errors.ts";
import { abilityChecks } from "../../testing/checks/abilities.ts";
import type { CheckResult } from "../../testing/run.ts";
import { rightAbilities } from "../broken-connectors/right.ts";
import { resultOf, type Changes, type Wrong } from "./result-of.ts";

const { check, at, split, get, discover, write } = rightAbilities;

async function result(id: string, wrong: Wrong = {}): Promise<CheckResult> {
  return await resultOf(abilityChecks, id, wrong);
}

describe("abilityChecks", () => {
  it.each(abilityChecks)(
    "finds nothing wrong in the right connector: $id $title",
    async ({ id }) => {
      expect(await result(id)).toMatchObject({ id, state: "passed", text: "" });
    },
  );

  it.each([
    [
      "A1",
      "covers the rows of the time itself",
      { at: (input) => ({ ...at(input), id: "~" }) },
      "up to the `at` of a time",
    ],
    [
      "A1",
      "knows no milliseconds",
      { at: (input) => ({ changed: at(input).changed.slice(0, 19), id: "" }) },
      "of a time",
    ],
    [
      "A2",
      "leaves the row at an edge out",
      {
        split: async (ask) => {
          const parts = await split(ask);
          return parts.map(({ from, to }, index) => {
            return { from: index === 0 ? from : from && { ...from, id: `${from.id}~` }, to };
          });
        },
      },
      "share their edges",
    ],
    [
      "A2",
      "leaves the last part out",
      { split: async (ask) => (await split(ask)).slice(0, -1) },
      "",
    ],
    [
      "A2",
      "reads more than the span",
      { split: async (ask) => await split({ ...ask, from: undefined }) },
      "begin and end with their span",
    ],
    [
      "A2",
      "makes more parts",
      { split: async (ask) => await split({ ...ask, parts: 8 }) },
      "parts",
    ],
    [
      "A3",
      "leaves a row out",
      {
        get: async (ask) => {
          const got = await get(ask);
          return { ...got, rows: got.rows.slice(1) };
        },
      },
      "6 rows",
    ],
    [
      "A3",
      "gives each row the place of another",
      {
        get: async (ask) => {
          const got = await get(ask);
          return { ...got, where: (index) => got.where(got.rows.length - 1 - index) };
        },
      },
      "each as `read` gave it",
    ],
    [
      "A3",
      "knows no keys",
      {
        get: async (ask) => {
          return await get({
            ...ask,
            names: ask.names.map((name) => name.replace(/^(?!rows:)/, "?")),
          });
        },
      },
      "said to be missing",
    ],
    [
      "A3",
      "says of nothing that it is missing",
      { get: async (ask) => ({ ...(await get(ask)), missing: [] }) },
      "to be `missing`",
    ],
    ["A4", "finds nothing", { check: async () => [{ name: "read", ok: true }] }, "a fault"],
    ["A4", "says nothing", { check: async () => [] }, "a finding at least"],
    [
      "A4",
      "finds always something",
      { check: async () => [{ name: "read", ok: false, fix: "Try." }] },
      "all right",
    ],
    [
      "A4",
      "says nothing of what to do",
      {
        check: async (ask) => (await check(ask)).map(({ name, ok }) => ({ name, ok })),
      },
      "a `fix`",
    ],
    [
      "A4",
      "throws",
      {
        check: async (ask) => {
          const found = await check(ask);
          if (found.every(({ ok }) => ok)) return found;
          throw new SourceAuthError("no", { field: "token" });
        },
      },
      "came SourceAuthError",
    ],
    [
      "A5",
      "suggests members that there are not",
      {
        discover: async (ask) => {
          return (await discover(ask)).map((each) => ({ ...each, from: { tabel: each.name } }));
        },
      },
      "tabel, which it refuses",
    ],
    [
      "A5",
      "suggests what there is not",
      {
        discover: async (ask) => {
          return (await discover(ask)).map((each) => ({ ...each, from: { table: "nowhere" } }));
        },
      },
      "came ConfigError",
    ],
    ["A5", "suggests nothing", { discover: async () => [] }, "came nothing"],
    [
      "A5",
      "suggests more than was asked for",
      {
        discover: async (ask) => {
          const found = await discover(ask);
          return [...found, ...found];
        },
      },
      "at most as many",
    ],
    [
      "A5",
      "names other columns",
      {
        discover: async (ask) => {
          return (await discover(ask)).map((each) => ({ ...each, columns: [] }));
        },
      },
      "none for id",
    ],
    [
      "A6",
      "says nothing of what is missing",
      {
        write: async (ask) => {
          return (await write(ask)).filter((one) => !("done" in one) || one.done !== "missing");
        },
      },
      "written, written",
    ],
    [
      "A6",
      "answers in another order",
      {
        write: async (ask) => {
          const answers = await write(ask);
          return [...answers.slice(1), ...answers.slice(0, 1)];
        },
      },
      "came missing, written",
    ],
    [
      "A6",
      "writes what is there already",
      {
        write: async (ask) => {
          const { key, set } = ask.patches[0] ?? { key: {}, set: {} };
          await write({
            ...ask,
            patches: [
              { key, set: { text: "between" } },
              { key, set },
            ],
          });
          return await write({ ...ask, patches: [{ key, set }, ...ask.patches.slice(1)] });
        },
      },
      "to what is written once",
    ],
    [
      "A6",
      "says that it wrote, and did not",
      {
        write: async (ask) => {
          return ask.patches.map(({ key }, index) => {
            if (key["id"] === "999999") return { done: "missing" };
            return { done: index === 3 ? "unchanged" : "written" };
          });
        },
      },
      "to hold what was written",
    ],
    [
      "A6",
      "refuses with `checkWrite` what it writes",
      {
        checkWrite: async () => {
          throw new ConfigError("nothing is written", { hint: "Read." });
        },
      },
      "expected `checkWrite` to let id and text through, as `write` does; came nothing is written",
    ],
    [
      "A6",
      "writes with `checkWrite`",
      {
        checkWrite: async (ask) => {
          await write({ ...ask, patches: [{ key: { id: "1" }, set: { text: "tried" } }] });
        },
      },
      "after `checkWrite`, which writes nothing",
    ],
  ] satisfies [id: string, mistake: string, changes: Changes, text: string][])(
    "%s finds a connector that %s",
    async (...[id, , changes, text]) => {
      const { state, text: said } = await result(id, { changes });
      expect(said).toContain(text);
      expect(said).toMatch(/^expected .+; came .+\. [A-Z].+\.$/s);
      expect(state).toBe("failed");
    },
  );

  it.each([
    ["A1", "at"],
    ["A2", "split"],
    ["A3", "get"],
    ["A4", "check"],
    ["A5", "discover"],
    ["A6", "write"],
    ["A9", "recognize"],
    ["A10", "rewind"],
  ] as const)("%s is not shown without `%s`", async (id, ability) => {
    const text = `the connector has no \`${ability}\``;
    expect(await result(id, { without: [ability] })).toMatchObject({ state: "not shown", text });
  });

  it("finds a check that does not look where the configuration says (A4)", async () => {
    const changes: Changes = { check: async () => [{ name: "read", ok: true }] };
    const { state, text } = await result("A4", { changes, without: ["deny"] });
    expect(text).toContain("a fault when one of token is something that is not there");
    expect(state).toBe("failed");
  });

  it("is not shown without `written` (A6)", async () => {
    const text = "the harness has no `written`";
    expect(await result("A6", { without: ["written"] })).toMatchObject({
      state: "not shown",
      text,
    });
  });
});

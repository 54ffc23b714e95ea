import { describe, expect, it } from "vitest";

import { registerPlan } from "../../../../src/cli/plan/plan.ts";
import { accountsCsv, accountsYaml, Harness } from "../../../support/project/harness.ts";
import { runVerb, type Shown } from "../../../support/project/run-verb.ts";
import { TestRun } from "../../../support/project/test-run.ts";

const rows = 12;

/** A table whose last rows have no key. */
function csvOf(rejected: number): string {
  const lines = accountsCsv(rows).split("\n");
  return lines
    .map((line, at) => (at > rows - rejected ? line.replace(/^a\d+/, "") : line))
    .join("\n");
}

async function opened(member: string, csv = accountsCsv(rows)): Promise<Harness> {
  return await Harness.open({ yaml: accountsYaml(member), files: { "accounts.csv": csv } });
}

async function plan(harness: Harness, ...args: readonly string[]): Promise<Shown> {
  return await runVerb(registerPlan, harness, ["plan", "accounts", ...args]);
}

describe("a plan of a run that does not send", () => {
  it("says that the run fails where it has more rejects than it may", async () => {
    const harness = await opened("reject_limit: { rate: 0.1, rows: 2 }", csvOf(4));
    const many = await plan(harness);
    expect(many.out.at(-1)).toBe(
      "the run fails: 4 of its first 12 rows are rejected, more than `reject_limit` allows, and nothing of the chunk " +
        "that exceeds it is sent",
    );
    expect(many.code).toBe(1);
    await expect((await TestRun.open(harness)).stage()).rejects.toThrow(
      "4 of 12 rows were refused",
    );
    const allowed = await opened("reject_limit: { rate: 0.1, rows: 4 }", csvOf(4));
    expect((await plan(allowed)).code).toBe(5);
  });

  it("says that the run fails where it has fewer rows than it must", async () => {
    const harness = await opened(`min_rows: ${rows + 1}`);
    const few = await plan(harness);
    expect(few.out.at(-1)).toBe(
      "the run fails: it reads fewer rows than the 13 that `min_rows` asks for, and nothing of its last chunk is sent",
    );
    expect(few.code).toBe(1);
    await expect((await TestRun.open(harness)).stage()).rejects.toThrow("`min_rows` asks for 13");
    // The first rows are not all there are.
    expect((await plan(harness, "--sample", "3")).code).toBe(5);
    expect((await plan(await opened(`min_rows: ${rows}`))).code).toBe(5);
  });

  it("says that the run is held, and by which guardrail, also where it would send nothing", async () => {
    const harness = await opened("hold_if: { changed_above: 30%, rows_below: 80% }");
    expect((await plan(harness)).out.join()).not.toContain("held");
    await (await TestRun.open(harness)).transfer();
    await harness.write(
      "accounts.csv",
      accountsCsv(rows, (row) => `other ${row}`),
    );
    const changed = await plan(harness);
    expect(changed.out.at(-1)).toBe(
      "the run is held, and nothing of it is sent until a person agrees: changed_above 30%: 12 of 12 known records " +
        "changed (100%)",
    );
    expect(changed.code).toBe(5);
    expect((await plan(harness, "--sample", "9")).out.join()).not.toContain("held");
    await harness.write("accounts.csv", accountsCsv(3));
    const fewer = await plan(harness, "--json");
    expect(fewer.code).toBe(5);
    expect(JSON.parse(fewer.out.join())).toMatchObject({
      counts: { read: 3, would_send: 0 },
      stops: "held",
      warnings: [expect.stringContaining("rows_below 80%: 3 of 12")],
    });
  });
});

import { describe, expect, it } from "vitest";

import type { BackfillPlan } from "../../../src/backfill/plan.ts";
import { TestRun } from "../../support/project/test-run.ts";
import { Nightly } from "./nightly.ts";

const leftOut =
  "2 rows are stamped later than now, and not read by this backfill: a later run reads what comes to be past, " +
  'and `"keys"` names rows to send them now';

describe("a backfill of a Postgres table", () => {
  it("says which rows of a span without an end it leaves out, because they are stamped in the future", async () => {
    const nightly = await Nightly.open();
    await nightly.database.query(
      `insert into companies values (1, 'a.example', 'A', null, now()), (2, 'b.example', 'B', null, 'infinity'),
         (3, 'c.example', 'C', null, '9999-12-31')`,
    );
    const report = await (await TestRun.backfill(nightly.harness)).transfer();
    expect(report.counts).toMatchObject({ read: 1, sent: 1 });
    expect(report.warnings).toEqual([leftOut]);
  });

  it("ends where it was said to, also where that time has come between plan and consent", async () => {
    const { database, harness } = await Nightly.open();
    await database.query(
      `insert into companies values (1, 'a.example', 'A', null, now() - interval '50 minutes'),
         (2, 'b.example', 'B', null, now() - interval '10 minutes')`,
    );
    const nowMs = Date.now();
    const minutesAgo = (minutes: number): number => nowMs - minutes * 60_000;
    const { planBackfill, openBackfill } = harness.activities;
    const to = new Date(minutesAgo(30)).toISOString();
    const ref = { runId: "backfill-1", workflowId: "backfill-accounts", firstRunId: "first" };
    const asked = { ...ref, raw: { sync: "accounts", to } };
    harness.clock.nowMs = minutesAgo(60);
    const planned = await harness.perform(planBackfill, asked);
    if ("problem" in planned) throw new Error(planned.problem);
    harness.clock.nowMs = nowMs;
    const opened = await harness.perform(openBackfill, { ...asked, approved: planned.plan });
    expect(opened).toMatchObject({ plan: { rows: 1, planned_at: planned.plan.planned_at } });
  });

  it("means the same days when its plan has moved and is made again a day later", async () => {
    const { database, harness } = await Nightly.open();
    await database.query(
      `insert into companies
         select n, n || '.example', 'A', null, timestamptz '2026-11-27 12:00Z' from generate_series(1, 5) n`,
    );
    const { planBackfill, openBackfill } = harness.activities;
    const ref = { runId: "backfill-1", workflowId: "backfill-accounts", firstRunId: "first" };
    const raw = { sync: "accounts", from: "yesterday", to: "today", time_zone: "UTC" };
    const planned = async (at: string): Promise<BackfillPlan> => {
      harness.clock.nowMs = Date.parse(at);
      const made = await harness.perform(planBackfill, { ...ref, raw });
      if ("problem" in made) throw new Error(made.problem);
      return made.plan;
    };
    const first = await planned("2026-11-28T23:50:00Z");
    expect(first).toMatchObject({
      from: "2026-11-27 00:00 UTC",
      to: "before 2026-11-28 00:00 UTC",
    });
    await database.query("delete from companies");
    harness.clock.nowMs = Date.parse("2026-11-29T00:30:00Z");
    const opened = await harness.perform(openBackfill, { ...ref, raw, approved: first });
    const moved: unknown = expect.stringContaining("the source moved");
    expect(opened).toEqual({ moved });
    const second = await planned("2026-11-29T00:30:00Z");
    const { from, to } = first;
    // Another time of planning shows who follows it that this is another plan.
    expect(second).toMatchObject({ from, to, rows: 0, planned_at: "2026-11-29T00:30:00.000Z" });
    const third = await harness.perform(openBackfill, { ...ref, raw, approved: second });
    expect(third).toMatchObject({ plan: { from, to, planned_at: second.planned_at } });
  });

  it("sends such a row by its key, and warns of none", async () => {
    const nightly = await Nightly.open();
    await nightly.database.query(
      "insert into companies values (2, 'b.example', 'B', null, 'infinity')",
    );
    const named = await (
      await TestRun.backfill(nightly.harness, { more: { keys: ["2"] } })
    ).transfer();
    expect(named.counts).toMatchObject({ read: 1, sent: 1 });
    expect(named.warnings).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";

import { laneRowsMin } from "../../../src/backfill/limits.ts";
import { postgres, type TestDatabase } from "../../support/postgres/postgres.ts";
import { harnessHead, Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";

const timeoutMs = 120_000;

/** A sync of this many companies, each with its own number; and the statement that gives some of them new numbers. */
async function numbered(rows: number): Promise<{ harness: Harness; query: TestDatabase["query"] }> {
  const { url, query } = await postgres();
  await query(
    `create sequence numbers;
     create table companies (id text primary key, domain text, name text,
       version bigint not null unique default nextval('numbers'));
     insert into companies select 'h' || n, 'h' || n || '.example', 'old' from generate_series(1, ${rows}) n`,
  );
  const yaml = `${harnessHead}connections:
  crm: { connector: postgres, url: "${url}" }
syncs:
  accounts:
    from: { connection: crm, table: companies, changed_by: { column: version } }
    stream: account
    record: { account_id: id, domain: domain, account_properties: { name: name } }
`;
  return { harness: await Harness.open({ yaml }), query };
}

describe("a backfill up to a number", () => {
  it(
    "leaves the checkpoint at its last row, so that rows of lower numbers than its end still come",
    async () => {
      const { harness, query } = await numbered(20);
      const asked = { to: 30, advance_checkpoint: true };
      const run = await TestRun.backfill(harness, { more: asked });
      expect((await run.transfer()).counts).toMatchObject({ read: 20, sent: 20 });
      await harness.perform(harness.activities.advanceCheckpoint, run.opened);
      await query(
        `insert into companies select 'h' || n, 'h' || n || '.example', 'new' from generate_series(21, 40) n`,
      );
      const night = await TestRun.open(harness, { runId: "night" });
      expect((await night.transfer()).counts).toMatchObject({ read: 20, sent: 20 });
    },
    timeoutMs,
  );

  it(
    "says that the checkpoint was not moved where there was no row, or a run came first",
    async () => {
      const { harness, query } = await numbered(0);
      const { advanceCheckpoint } = harness.activities;
      const run = await TestRun.backfill(harness, { more: { to: 30, advance_checkpoint: true } });
      await harness.perform(advanceCheckpoint, run.opened);
      const why = "the checkpoint was not moved: nothing was read";
      expect((await run.transfer()).warnings).toEqual([why]);
      await query("insert into companies values ('next', 'next.example', 'next')");
      await (await TestRun.open(harness, { runId: "night" })).transfer();
      await harness.perform(advanceCheckpoint, run.opened);
      const moved = "the checkpoint was not moved: a run has moved it meanwhile";
      expect((await run.stored()).warnings).toEqual([why, moved]);
    },
    timeoutMs,
  );

  it(
    "has one lane where the end is above every number, because a row that changes would come in two",
    async () => {
      const { harness, query } = await numbered(2 * laneRowsMin);
      const lanesTo = async (to: number): Promise<number | undefined> =>
        (await TestRun.backfill(harness, { more: { to, lanes: 2 } })).opened.lanes;
      expect(await lanesTo(2 * laneRowsMin + 1)).toBe(1);
      await query("insert into companies values ('next', 'next.example', 'next')");
      expect(await lanesTo(2 * laneRowsMin + 1)).toBe(2);
    },
    timeoutMs,
  );
});

it(
  "a change column of numbers is backfilled up to the greatest of them, without an end that is a time",
  async () => {
    const { harness } = await numbered(20);
    await (await TestRun.open(harness)).transfer();
    const { planBackfill, openBackfill, stageChunk } = harness.activities;
    const ref = { runId: "backfill-1", workflowId: "backfill", firstRunId: "first" };
    const raw = { sync: "accounts", send: "all", approve: "auto" };
    const planned = await harness.perform(planBackfill, { ...ref, raw });
    if ("problem" in planned) throw new Error(planned.problem);
    expect(planned.plan.rows).toBe(20);
    const opened = await harness.perform(openBackfill, { ...ref, raw, approved: planned.plan });
    if ("moved" in opened) throw new Error(opened.moved);
    const staged = await harness.perform(stageChunk, { ...opened, chunk: 1 });
    expect(staged.records).toBe(20);
  },
  timeoutMs,
);

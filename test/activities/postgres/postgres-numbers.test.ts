import { expect, it } from "vitest";

import { postgres } from "../../support/postgres/postgres.ts";
import { harnessHead, Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";

const timeoutMs = 120_000;

it(
  "a change column of numbers is backfilled up to the greatest of them, without an end that is a time",
  async () => {
    const database = await postgres();
    await database.query(
      `create table companies (id text primary key, domain text, name text, version bigint not null);
       insert into companies select 'h' || n, 'h' || n || '.example', 'old', n from generate_series(1, 20) n`,
    );
    const yaml = `${harnessHead}connections:
  crm: { connector: postgres, url: "${database.url}" }
syncs:
  accounts:
    from: { connection: crm, table: companies, changed_by: { column: version } }
    stream: account
    record: { account_id: id, domain: domain, account_properties: { name: name } }
`;
    const harness = await Harness.open({ yaml });
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

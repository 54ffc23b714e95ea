import { describe, expect, it } from "vitest";

import { postgres, type TestDatabase } from "../../support/postgres/postgres.ts";
import { harnessHead, Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";

const timeoutMs = 120_000;

const utc = "(now() at time zone 'UTC')";

/** A table of times without a zone, on a server with this time zone, and a project that syncs it. */
async function open(
  zone: string,
  from = "",
): Promise<{ readonly database: TestDatabase; readonly harness: Harness }> {
  const database = await postgres();
  await database.query(
    `do $$ begin execute format('alter database %I set TimeZone = ''${zone}''', current_database()); end $$;
     create table companies (id text primary key, domain text, name text, updated_at timestamp not null)`,
  );
  const yaml = `${harnessHead}connections:
  crm: { connector: postgres, url: "${database.url}" }
syncs:
  accounts:
    from: { connection: crm, table: companies, changed_by: { column: updated_at }${from} }
    stream: account
    schedule: { at: "02:30", time_zone: America/New_York }
    record: { account_id: id, domain: domain, account_properties: { name: name } }
`;
  return { database, harness: await Harness.open({ yaml }) };
}

async function put({ query }: TestDatabase, name: string, at: string): Promise<void> {
  await query(
    `insert into companies values ('a', 'a.example', '${name}', ${at})
     on conflict (id) do update set name = excluded.name, updated_at = excluded.updated_at`,
  );
}

/** Backfills the sync as its workflow does, and returns how many rows were read. */
async function backfill(harness: Harness, asked: object): Promise<number> {
  const { activities } = harness;
  const ref = { runId: "backfill-1", workflowId: "backfill-accounts", firstRunId: "first" };
  const raw = { sync: "accounts", send: "all", approve: "auto", ...asked };
  const planned = await harness.perform(activities.planBackfill, { ...ref, raw });
  if ("problem" in planned) throw new Error(planned.problem);
  const input = { ...ref, raw, approved: planned.plan };
  const opened = await harness.perform(activities.openBackfill, input);
  if ("moved" in opened) throw new Error(opened.moved);
  const staged = await harness.perform(activities.stageChunk, { ...opened, chunk: 1 });
  const part = { ...opened, chunk: 1, stage: staged.stage, part: 0 };
  await harness.perform(activities.uploadJson, part);
  await harness.perform(activities.commitChunk, part);
  if (opened.advanceCheckpoint) await harness.perform(activities.advanceCheckpoint, opened);
  await harness.perform(activities.closeRun, { runId: ref.runId, outcome: "done" });
  return staged.counts.read;
}

describe("times without a zone", { timeout: timeoutMs }, () => {
  it.each([
    ["ahead of what the application writes", ""],
    ["that the configuration does not go by", ", time_zone: UTC"],
  ])("brings a later change from a server of a zone %s", async (_, zone) => {
    const { database, harness } = await open("Asia/Tokyo", zone);
    await put(database, "old", `${utc} - interval '3 days'`);
    await (await TestRun.open(harness, { runId: "night-1" })).transfer();
    await (await TestRun.open(harness, { runId: "night-2" })).transfer();
    await put(database, "new", utc);
    const { warnings } = await (await TestRun.open(harness, { runId: "night-3" })).transfer();
    expect(await harness.sandbox.names()).toEqual(new Map([["a", "new"]]));
    expect(warnings).toHaveLength(zone === "" ? 1 : 0);
  });

  it.each([
    ["the server's", ""],
    ["the configured one", ", time_zone: Asia/Kolkata"],
  ])("backfills a day of the zone, %s", async (_, zone) => {
    const { database, harness } = await open("America/New_York", zone);
    await database.query(
      `insert into companies select 'h' || n, 'h' || n || '.example', 'H', timestamp '2025-10-01 00:30' + n *
        interval '1 hour'
       from generate_series(0, 23) n`,
    );
    const zoned = zone === "" ? "America/New_York" : "Asia/Kolkata";
    const asked = { from: "2025-10-01", to: "2025-10-02", time_zone: zoned };
    expect(await backfill(harness, asked)).toBe(24);
  });

  it("lets the nightly run continue where a backfill ended, and not hours behind it", async () => {
    const { database, harness } = await open("Asia/Tokyo");
    await put(database, "old", `${utc} - interval '1 day'`);
    harness.clock.nowMs = Date.now();
    await backfill(harness, { to: "now", advance_checkpoint: true });
    await put(database, "new", utc);
    await (await TestRun.open(harness, { runId: "night-1" })).transfer();
    expect(await harness.sandbox.names()).toEqual(new Map([["a", "new"]]));
  });
});

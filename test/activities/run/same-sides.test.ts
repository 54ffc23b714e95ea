import { describe, expect, it } from "vitest";

import { resetSync } from "../../../src/cli/status/reset.ts";
import { lateRequest } from "../../support/late-request.ts";
import { postgres, type TestDatabase } from "../../support/postgres/postgres.ts";
import {
  accountsCsv,
  accountsYaml,
  failureOf,
  Harness,
  harnessHead,
} from "../../support/project/harness.ts";
import { splitOf, TestRun } from "../../support/project/test-run.ts";

const otherKey = "the-key-of-another-account";
const withOtherKey = (yaml: string): string => yaml.replace("${SLUICE_API_KEY}", otherKey);

const crmYaml = (url: string, column = "updated_at"): string =>
  `${harnessHead}connections:
  crm: { connector: postgres, url: "${url}" }
syncs:
  accounts:
    from: { connection: crm, table: companies, changed_by: { column: ${column} } }
    stream: account
    record: { account_id: id, domain: domain, account_properties: { name: name } }
`;

/** A database of this many companies that changed two days ago. */
async function companies(rows: number): Promise<TestDatabase> {
  const database = await postgres();
  await database.query(`create table companies
      (id text primary key, domain text, name text, updated_at timestamptz not null, version bigint not null unique);
    insert into companies select 'a' || n, 'a' || n || '.example', 'A', now() - interval '2 days', n
      from generate_series(1, ${rows}) n`);
  return database;
}

const nameOf = ({ url }: TestDatabase): string => new URL(url).pathname.slice(1);

/** The error with which the opening of a run ends; checks that no request was made meanwhile. */
async function refusalOf(harness: Harness, runId: string): Promise<string> {
  const before = (await harness.sandbox.ledger()).length;
  const { type, message, details } = await failureOf(TestRun.open(harness, { runId }));
  expect(type).toBe("ConfigError");
  expect(await harness.sandbox.ledger()).toHaveLength(before);
  await harness.perform(harness.activities.closeRun, { runId, outcome: "failed" });
  return `${message} ${JSON.stringify(details)}`;
}

describe("another API key", () => {
  it("stops a run before anything leaves, and says which key it was and which two ways there are", async () => {
    const files = { "accounts.csv": accountsCsv(5) };
    const harness = await Harness.open({ yaml: accountsYaml(), files });
    await (await TestRun.open(harness)).transfer();
    const told = await refusalOf(await harness.withYaml(withOtherKey(accountsYaml())), "run-2");
    expect(told).toMatch(/it was key [0-9a-f]{8}… \(since .*\), and now it is key [0-9a-f]{8}…/);
    expect(told).toContain("sluice state rebind accounts");
    expect(told).toContain("sluice state reset accounts");
    expect(told).not.toContain(otherKey);
    // The first key continues as before.
    const again = await harness.withYaml(accountsYaml());
    expect(
      (await (await TestRun.open(again, { runId: "run-3" })).transfer()).counts.unchanged,
    ).toBe(5);
  });

  it("ends a run whose worker was started again with it", async () => {
    const files = { "accounts.csv": accountsCsv(5) };
    const harness = await Harness.open({ yaml: accountsYaml(), files });
    const run = await TestRun.open(harness);
    const chunk = await run.stage();
    const { activities, deps } = await harness.withYaml(withOtherKey(accountsYaml()));
    expect(deps.config.api.apiKey.reveal()).toBe(otherKey);
    const { message } = await failureOf(harness.perform(activities.uploadJson, run.part(chunk)));
    expect(message).toContain("the API key is not the one that was sent with before");
    expect(await harness.sandbox.ledger()).toEqual([]);
  });

  it("is taken as it is before anything was committed", async () => {
    const files = { "accounts.csv": accountsCsv(5) };
    const harness = await Harness.open({ yaml: accountsYaml(), files });
    await (await TestRun.open(harness)).close({ outcome: "cancelled" });
    const other = await harness.withYaml(withOtherKey(accountsYaml()));
    expect((await (await TestRun.open(other, { runId: "run-2" })).stage()).records).toBe(5);
  });
});

/**
 * A first run of eight accounts, four of which are accepted; the fifth stops it, and the checkpoint stays at its
 * beginning.
 */
async function cutFirstRun(): Promise<Harness> {
  const yaml = accountsYaml("reject_limit: { rate: 0%, rows: 0 }");
  const harness = await Harness.open({ yaml, files: { "accounts.csv": accountsCsv(8) } });
  const run = await TestRun.open(harness);
  const chunk = await run.stage();
  const parts = [0];
  for (const answer of ["refused", "taken", "refused", "refused", "refused"]) {
    if (answer === "refused")
      harness.sandbox.order("confirm-upload", { status: 422, body: { detail: [] } });
    const part = run.part(chunk, parts.shift());
    const failure = await run.attemptPart(part, "file");
    const how = failure && splitOf(failure);
    if (how !== undefined) parts.unshift(...(await run.split(part, how).catch(() => [])));
  }
  const failure = { code: "TooManyRejects", message: "stopped" };
  const { counts, checkpoint } = await run.close({ outcome: "failed", failure });
  expect([counts.sent, checkpoint.after]).toEqual([4, 0]);
  return harness;
}

const backfillRef = { runId: "backfill-1", workflowId: "backfill-accounts", firstRunId: "first" };

/** A backfill of 1,001 companies in chunks of 1,000 whose first chunk was sent, and that let another run go first. */
async function pausedBackfill(sync = ""): Promise<{
  readonly harness: Harness;
  readonly yaml: string;
  readonly goOn: (as: Harness) => Promise<unknown>;
}> {
  const yaml = `${crmYaml((await companies(1_001)).url)}    chunk: { records: 1000 }\n${sync}`;
  const harness = await Harness.open({ yaml });
  const { planBackfill, openBackfill, stageChunk, uploadFile, confirmUpload } = harness.activities;
  const { commitChunk, yieldBackfill } = harness.activities;
  const ask = { ...backfillRef, raw: { sync: "accounts", approve: "auto" } };
  const planned = await harness.perform(planBackfill, ask);
  if ("problem" in planned) throw new Error(planned.problem);
  const opened = await harness.perform(openBackfill, { ...ask, approved: planned.plan });
  if ("moved" in opened) throw new Error(opened.moved);
  const { stage } = await harness.perform(stageChunk, { ...opened, chunk: 1 });
  const part = { ...opened, chunk: 1, stage, part: 0 };
  const { fileKey } = await harness.perform(uploadFile, part);
  await harness.perform(confirmUpload, { ...part, fileKey });
  await harness.perform(commitChunk, part);
  await harness.perform(yieldBackfill, opened);
  const goOn = async (as: Harness): Promise<unknown> =>
    await as.perform(as.activities.openBackfill, { ...ask, approved: undefined });
  return { harness, yaml, goOn };
}

describe("another API key while no checkpoint was made", () => {
  it("stops a run after a first one that was cut: what was accepted of that is known", async () => {
    const harness = await cutFirstRun();
    const told = await refusalOf(await harness.withYaml(withOtherKey(accountsYaml())), "run-2");
    expect(told).toContain("the API key is not the one that was sent with before");
  });

  it("stops a run after a backfill", async () => {
    const { harness, yaml } = await pausedBackfill();
    await harness.perform(harness.activities.closeRun, { ...backfillRef, outcome: "done" });
    const told = await refusalOf(await harness.withYaml(withOtherKey(yaml)), "run-2");
    expect(told).toContain("the API key is not the one that was sent with before");
  });

  it("stops a run while a request of the first one may still be applied", async () => {
    const files = { "accounts.csv": accountsCsv(5) };
    const harness = await Harness.open({ yaml: accountsYaml(), files });
    const run = await TestRun.open(harness);
    await lateRequest(run, await run.stage(), "aborted before");
    await run.close({ outcome: "cancelled" });
    const told = await refusalOf(await harness.withYaml(withOtherKey(accountsYaml())), "run-2");
    expect(told).toContain("the API key is not the one that was sent with before");
  });

  it.each(["changed", "all"])(
    "stops a backfill that continues after a pause: send %s",
    async (send) => {
      const { harness, yaml, goOn } = await pausedBackfill(`    send: ${send}\n`);
      const other = await harness.withYaml(withOtherKey(yaml));
      const { message } = await failureOf(goOn(other));
      expect(message).toContain("the API key is not the one that was sent with before");
    },
  );

  it("ends a backfill that waits, when the sync is reset for it", async () => {
    const { harness, yaml, goOn } = await pausedBackfill();
    const other = await harness.withYaml(withOtherKey(yaml));
    const { state, target } = other.deps;
    const at = "2026-01-01T00:00:00.000Z";
    await resetSync(state, { target, sync: "accounts" }, { reason: "another account", at });
    expect((await failureOf(goOn(other))).message).toBe("run backfill-1 has ended as cancelled");
    const { counts } = await (await TestRun.open(other, { runId: "run-2" })).transfer();
    expect(counts).toMatchObject({ sent: 1_001 });
  });
});

it("a run that begins while its sync is reset sends all again", async () => {
  const { url } = await companies(5);
  const harness = await Harness.open({ yaml: crmYaml(url) });
  await (await TestRun.open(harness)).transfer();
  const { state, target } = harness.deps;
  const meanwhile: number[] = [];
  const beside = new Proxy(state, {
    get: (store, name, receiver): unknown =>
      name === "setCheckpoint"
        ? async (input: Parameters<typeof state.setCheckpoint>[0]) => {
            const moved = await store.setCheckpoint(input);
            const { counts } = await (await TestRun.open(harness, { runId: "run-2" })).transfer();
            meanwhile.push(counts.sent);
            return moved;
          }
        : Reflect.get(store, name, receiver),
  });
  const at = "2026-01-01T00:00:00.000Z";
  await resetSync(beside, { target, sync: "accounts" }, { reason: "anew", at });
  expect(meanwhile).toEqual([5]);
});

describe("another database after the URL", () => {
  it("stops a run before anything is read, and names both", async () => {
    const [staging, production] = [await companies(1), await companies(1_000)];
    const harness = await Harness.open({ yaml: crmYaml(staging.url) });
    await (await TestRun.open(harness)).transfer();
    const told = await refusalOf(await harness.withYaml(crmYaml(production.url)), "run-2");
    expect(told).toContain(`it was database ${nameOf(staging)} at `);
    expect(told).toContain(`and now it is database ${nameOf(production)} at `);
    expect(told).toContain("sluice state rebind accounts");
    const { message } = await failureOf(
      harness.perform((await harness.withYaml(crmYaml(production.url))).activities.planBackfill, {
        runId: "backfill-1",
        workflowId: "wf",
        firstRunId: "first",
        raw: { sync: "accounts", send: "all" },
      }),
    );
    expect(message).toContain("the database is not the one that was read before");
  });

  it("ends a run in the midst of which a worker was started with it", async () => {
    const [staging, production] = [await companies(1), await companies(3)];
    const harness = await Harness.open({ yaml: crmYaml(staging.url) });
    const run = await TestRun.open(harness);
    const { activities } = await harness.withYaml(crmYaml(production.url));
    const staging2 = harness.perform(activities.stageChunk, { ...run.opened, chunk: 1 });
    expect((await failureOf(staging2)).message).toContain(
      "the database is not the one that was read before",
    );
  });

  it("is no other one for another role, or after it was stopped and started", async () => {
    const database = await companies(3);
    const harness = await Harness.open({ yaml: crmYaml(database.url) });
    await (await TestRun.open(harness)).transfer();
    const role = `reader_${Date.now()}`;
    await database.query(`create role ${role} login password 'secret-of-the-reader';
      grant select on companies to ${role}`);
    const url = database.urlOf(role, "secret-of-the-reader");
    const reader = await harness.withYaml(crmYaml(url));
    expect((await (await TestRun.open(reader, { runId: "run-2" })).transfer()).outcome).toBe(
      "done",
    );
    await database.query(`drop owned by ${role}; drop role ${role}`);
  });
});

describe("a numeric change column whose greatest value is below the checkpoint", () => {
  it("stops the run, as after a backup was restored", async () => {
    const database = await companies(10);
    const harness = await Harness.open({ yaml: crmYaml(database.url, "version") });
    await (await TestRun.open(harness)).transfer();
    await database.query("delete from companies where version > 7");
    const told = await refusalOf(harness, "run-2");
    expect(told).toContain("the checkpoint 10 is above every value of its change column");
    await database.query("delete from companies");
    // An empty table proves nothing.
    expect((await (await TestRun.open(harness, { runId: "run-3" })).transfer()).outcome).toBe(
      "done",
    );
  });
});

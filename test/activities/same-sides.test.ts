import { describe, expect, it } from "vitest";

import { accountsCsv, accountsYaml, failureOf, Harness, harnessHead } from "../support/harness.ts";
import { postgres, type TestDatabase } from "../support/postgres.ts";
import { TestRun } from "../support/test-run.ts";

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

/** A database of so many companies that changed two days ago. */
async function companies(rows: number): Promise<TestDatabase> {
  const database = await postgres();
  await database.query(`create table companies
      (id text primary key, domain text, name text, updated_at timestamptz not null, version bigint not null unique);
    insert into companies select 'a' || n, 'a' || n || '.example', 'A', now() - interval '2 days', n
      from generate_series(1, ${rows}) n`);
  return database;
}

const nameOf = ({ url }: TestDatabase): string => new URL(url).pathname.slice(1);

/** How the opening of a run ends, and that nothing left for the service since the requests so far. */
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
    // The first key goes on as before.
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

describe("another database behind the URL", () => {
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
    // A table that is empty says nothing.
    expect((await (await TestRun.open(harness, { runId: "run-3" })).transfer()).outcome).toBe(
      "done",
    );
  });
});

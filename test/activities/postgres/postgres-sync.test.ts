import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";

import type { RunReport } from "../../../src/report/report.ts";
import { postgres, type TestDatabase } from "../../support/postgres/postgres.ts";
import { Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";

function yaml(url: string, overlap: string): string {
  return `version: 1
api: { base_url: "\${SLUICE_BASE_URL}", api_key: "\${SLUICE_API_KEY}", requests_per_second: 1000 }
connections:
  crm: { connector: postgres, url: "${url}" }
syncs:
  accounts:
    from: { connection: crm, table: companies, changed_by: { column: updated_at, overlap: ${overlap} } }
    stream: account
    chunk: { records: 1000 }
    record:
      account_id: id
      domain: domain
      account_properties: { name: name }
`;
}

/** A table of companies and a project that syncs it, run after run. */
class Nightly {
  readonly database: TestDatabase;
  readonly harness: Harness;
  #runs = 0;

  private constructor(database: TestDatabase, harness: Harness) {
    this.database = database;
    this.harness = harness;
  }

  static async open(overlap = "6h", on?: TestDatabase): Promise<Nightly> {
    const database = on ?? (await postgres());
    await database.query(
      `create table companies (id bigint primary key, domain text, name text, internal text,
         updated_at timestamptz not null default now());
       create index on companies (updated_at, id)`,
    );
    const harness = await Harness.open({ yaml: yaml(database.url, overlap) });
    return new Nightly(database, harness);
  }

  /** Puts `count` rows there that changed over the last days, the newest now. */
  async fill(count: number): Promise<void> {
    await this.database.query(
      `insert into companies select n, 'c' || n || '.example', 'Company ' || n, null, now() - (${count} - n) *
        interval '5 seconds'
       from generate_series(1, ${count}) as n`,
    );
  }

  async begin(): Promise<TestRun> {
    this.#runs += 1;
    return await TestRun.open(this.harness, { runId: `run-${this.#runs}` });
  }

  async night(): Promise<RunReport> {
    return await (await this.begin()).transfer();
  }
}

/** A session that stays open over a night, as an application's may. */
async function session(url: string): Promise<Client> {
  const client = new Client(url);
  client.on("error", () => undefined);
  await client.connect();
  onTestFinished(async () => await client.end());
  return client;
}

describe("a nightly sync of a Postgres table", () => {
  it("finds a row that was stamped before the last run and committed after it", async () => {
    const nightly = await Nightly.open();
    const late = await session(nightly.database.url);
    await late.query("begin");
    await late.query("insert into companies values (1, 'late.example', 'Late', null, now())");
    await nightly.database.query("insert into companies values (2, 'b.example', 'B', null)");
    expect((await nightly.night()).counts).toMatchObject({ read: 1, sent: 1 });
    await late.query("commit");
    expect((await nightly.night()).counts).toMatchObject({ read: 2, sent: 1, unchanged: 1 });
  });

  it("goes back to a transaction that was open longer than the overlap is", async () => {
    const nightly = await Nightly.open("1ms");
    const late = await session(nightly.database.url);
    await late.query("begin; insert into companies values (1, 'late.example', 'Late', null)");
    await nightly.database.query("insert into companies values (2, 'b.example', 'B', null)");
    expect((await nightly.night()).counts).toMatchObject({ read: 1, sent: 1 });
    await late.query("commit");
    expect((await nightly.night()).counts).toMatchObject({ sent: 1, unchanged: 1 });
    expect((await nightly.night()).counts).toMatchObject({ read: 0 });
  });

  it("stops when a column that the mapping reads goes in its midst", async () => {
    const nightly = await Nightly.open();
    await nightly.fill(1500);
    const run = await nightly.begin();
    const first = await run.stage();
    await run.send(first);
    await run.commit(first);
    await nightly.database.query("alter table companies rename name to title");
    await expect(run.stage(2)).rejects.toThrow(/reads the column "name", which .* does not have/);
  });

  it("leaves a row that is stamped in the future until its time, and counts it", async () => {
    const nightly = await Nightly.open();
    await nightly.database.query(
      `insert into companies values (1, 'a.example', 'A', null, now()), (2, 'b.example', 'B', null, '2099-01-01')`,
    );
    const first = await nightly.night();
    expect(first.counts).toMatchObject({ read: 1, sent: 1 });
    expect(first.stamped_in_future).toBe(1);
    await nightly.database.query("update companies set updated_at = now() where id = 2");
    const second = await nightly.night();
    expect(second.counts).toMatchObject({ sent: 1 });
    expect(second.stamped_in_future).toBe(0);
  });

  it("does not go further back with each night in which nothing changed", async () => {
    const nightly = await Nightly.open();
    await nightly.database.query(
      `insert into companies values (1, 'a.example', 'A', null, now() - interval '5 hours')`,
    );
    const reads: number[] = [];
    for (let night = 0; night < 3; night += 1) reads.push((await nightly.night()).counts.read);
    expect(reads).toEqual([1, 1, 1]);
    await nightly.database.query("update companies set updated_at = now() - interval '10 hours'");
    expect((await nightly.night()).counts.read).toBe(0);
    expect((await nightly.night()).counts.read).toBe(0);
  });
});

import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";

import type { RunReport } from "../../../src/report/report.ts";
import { ownPostgres, postgres, type TestDatabase } from "../../support/postgres/postgres.ts";
import { until } from "../../support/process/process.ts";
import { failureOf, Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";

const timeoutMs = 240_000;

/** Finds the connector at work in the midst of a block. */
const reading = `select 1 from pg_stat_activity
  where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and query like
  '%order by%limit%'`;

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
    const harness = await Harness.open({ yaml: yaml(database.url, overlap), hasThreads: true });
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
  it(
    "sends of 5,000 rows exactly the 30 that changed in a mapped field",
    async () => {
      const nightly = await Nightly.open();
      await nightly.fill(5_000);
      expect((await nightly.night()).counts).toMatchObject({ read: 5_000, sent: 5_000 });
      await nightly.database.query(
        `update companies set name = name || '!', updated_at = now() where id % 100 = 0 and id <= 3000;
         update companies set internal = 'x', updated_at = now() where id % 100 = 7`,
      );
      const { counts, balanced } = await nightly.night();
      expect(counts.sent).toBe(30);
      expect(counts.read).toBeGreaterThan(4_000);
      expect(balanced).toBe(true);
      // Six hours of overlap are read again, and what is the same is not sent.
      expect((await nightly.night()).counts).toMatchObject({ sent: 0 });
    },
    timeoutMs,
  );

  it("goes back to it also after a run that was given up in its midst", async () => {
    const nightly = await Nightly.open("1ms");
    const late = await session(nightly.database.url);
    await late.query("begin; insert into companies values (9999, 'late.example', 'Late', null)");
    await nightly.database.query(
      `insert into companies select n, 'c' || n || '.example', 'Company', null from generate_series(1, 1500) n`,
    );
    const cut = await nightly.begin();
    const first = await cut.stage();
    await cut.send(first);
    await cut.commit(first);
    await cut.stage(2);
    await cut.close({ outcome: "cancelled" });
    await late.query("commit");
    await nightly.night();
    expect(await nightly.harness.sandbox.records()).toHaveLength(1501);
  });

  it("finishes when the server is restarted in mid-read", async () => {
    const database = await ownPostgres();
    const nightly = await Nightly.open("6h", database);
    const { harness } = nightly;
    await nightly.fill(800);
    // A block takes seconds, so that the server goes down while one is on its way.
    await database.query(
      `alter table companies rename to stored;
       create function slowly() returns boolean language sql volatile as 'select true from pg_sleep(0.003)';
       create view companies as select * from stored where slowly()`,
    );
    const sync = { table: "companies", key: "[id]", changed_by: "{ column: updated_at }" };
    const from = Object.entries(sync).map(([name, value]) => `${name}: ${value}`);
    const slow = await harness.withYaml(
      yaml(database.url, "6h").replace(/from: .*/, `from: { connection: crm, ${from.join(", ")} }`),
    );
    const run = await TestRun.open(slow);
    const failing = failureOf(run.stage());
    await until(async () => (await database.query(reading)).length > 0);
    await database.restart();
    expect((await failing).nonRetryable).not.toBe(true);
    const report = await run.transfer();
    expect(report).toMatchObject({ balanced: true, counts: { read: 800, sent: 800 } });
    expect(await slow.sandbox.records()).toHaveLength(800);
  });
});

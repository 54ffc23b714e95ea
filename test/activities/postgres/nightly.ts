import { Client } from "pg";
import { onTestFinished } from "vitest";

import type { RunReport } from "../../../src/report/report.ts";
import { postgres, type TestDatabase } from "../../support/postgres/postgres.ts";
import { Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";

/** A sync of its table that reads the last `overlap` again. */
export function nightlyYaml(url: string, overlap: string): string {
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
export class Nightly {
  readonly database: TestDatabase;
  readonly harness: Harness;
  #runs = 0;

  private constructor(database: TestDatabase, harness: Harness) {
    this.database = database;
    this.harness = harness;
  }

  static async open(
    overlap = "6h",
    { on, hasThreads = false }: { readonly on?: TestDatabase; readonly hasThreads?: boolean } = {},
  ): Promise<Nightly> {
    const database = on ?? (await postgres());
    await database.query(
      `create table companies (id bigint primary key, domain text, name text, internal text,
         updated_at timestamptz not null default now());
       create index on companies (updated_at, id)`,
    );
    const harness = await Harness.open({ yaml: nightlyYaml(database.url, overlap), hasThreads });
    return new Nightly(database, harness);
  }

  /** Inserts `count` rows that changed over the last days, the newest of them now. */
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
export async function session(url: string): Promise<Client> {
  const client = new Client(url);
  client.on("error", () => undefined);
  await client.connect();
  onTestFinished(async () => await client.end());
  return client;
}

import { describe, expect, it } from "vitest";

import type { RunReport } from "../../../src/report/report.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { Harness } from "../../support/project/harness.ts";
import { accountsFound } from "../../support/project/pull-project.ts";
import { PullRun } from "../../support/project/pull-run.ts";
import { TestRun } from "../../support/project/test-run.ts";

const companies = 25;

function yamlOf(url: string): string {
  return `version: 1
api:
  base_url: \${SLUICE_BASE_URL}
  legacy_base_url: \${SLUICE_BASE_URL}
  api_key: \${SLUICE_API_KEY}
  requests_per_second: 1000000
connections:
  crm: { connector: postgres, url: "${url}" }
syncs:
  accounts:
    from: { connection: crm, table: companies, changed_by: { column: updated_at, overlap: 1h } }
    stream: account
    record: { account_id: id, domain: website, account_properties: { name: name } }
pulls:
  scores:
    accounts: {}
    write_back:
      connection: crm
      table: companies
      insert: false
      key: { id: source_system.id }
      set: { fit: scores.customer_fit.score }
`;
}

/** Every change stamps its row, the pull's own included: the next sync reads that row again. */
const tables = `
  create table companies (
    id text primary key, website text, name text, fit integer, updated_at timestamptz not null default now()
  );
  create function stamp() returns trigger language plpgsql as
    'begin new.updated_at = clock_timestamp(); return new; end';
  create trigger stamp before update on companies for each row execute function stamp();
  insert into companies (id, website, name)
    select 'c' || n, 'c' || n || '.example', 'Company ' || n from generate_series(1, ${companies}) n;
`;

describe("a sync and a pull of one table", () => {
  it("come to rest after one round", async () => {
    const database = await postgres();
    await database.query(tables);
    const harness = await Harness.open({ yaml: yamlOf(database.url) });
    const round = async (number: number): Promise<readonly [RunReport, RunReport]> => {
      const sent = await (await TestRun.open(harness, { runId: `sync-${number}` })).transfer();
      const pulled = await (await PullRun.open(harness, { runId: `pull-${number}` })).finish();
      return [sent, pulled];
    };
    const [sent, pulled] = await round(1);
    expect(sent).toMatchObject({ outcome: "done", counts: { sent: companies, unchanged: 0 } });
    expect(pulled).toMatchObject({
      outcome: "done",
      balanced: true,
      counts: { read: companies + accountsFound },
      pull: { written: companies, missing: accountsFound },
    });
    const before = await database.query("select id, fit, updated_at, xmin::text from companies");
    expect(before.every(({ fit }) => typeof fit === "number")).toBe(true);

    const [again, repeated] = await round(2);
    expect(again).toMatchObject({ outcome: "done", counts: { sent: 0, unchanged: companies } });
    expect(repeated.pull).toMatchObject({ written: 0, unchanged: companies });
    const after = await database.query("select id, fit, updated_at, xmin::text from companies");
    expect(after).toEqual(before);
  });
});

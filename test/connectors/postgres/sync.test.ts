import { describe, expect, it } from "vitest";

import { postgres } from "../../support/postgres/postgres.ts";
import { Harness } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";

/** A project that sends the companies of a database. */
async function projectOf(url: string, hasThreads: boolean): Promise<Harness> {
  const yaml = `version: 1
api:
  base_url: \${SLUICE_BASE_URL}
  legacy_base_url: \${SLUICE_BASE_URL}
  api_key: \${SLUICE_API_KEY}
  requests_per_second: 1000000
connections:
  crm: { connector: postgres, url: "${url}" }
syncs:
  accounts:
    from: { connection: crm, table: companies, changed_by: { column: updated_at, overlap: 6h } }
    stream: account
    record:
      account_id: id
      domain: domain
      account_properties:
        employees: { column: employees, as: number }
        tags: { column: tags, as: json }
        seen_at: { column: seen_at, as: datetime }
`;
  return await Harness.open({ yaml, hasThreads });
}

const companies = `create table companies (
  id text primary key, domain text not null, employees numeric, tags text[], photo bytea,
  seen_at timestamptz, updated_at timestamptz not null default now())`;

describe("a sync out of Postgres", () => {
  it("sends what changed since the last run and nothing twice, however wide the overlap", async () => {
    const { query, url } = await postgres();
    await query(`${companies}; insert into companies (id, domain, employees, tags, photo, seen_at)
      select 'a' || n, 'c' || n || '.example', n, array['t', null], '\\x00', '2024-03-10 12:00:00.123456+09'
      from generate_series(1, 3000) n`);
    const harness = await projectOf(url, true);
    const first = await (await TestRun.open(harness)).transfer();
    expect(first).toMatchObject({ outcome: "done", counts: { read: 3000, sent: 3000 } });
    const [record] = await harness.sandbox.records();
    expect(record).toMatchObject({
      account_properties: { tags: ["t", null], seen_at: "2024-03-10T03:00:00.123456Z" },
    });

    await query(`update companies set employees = employees + 1, updated_at = now() where id in ('a7', 'a2999');
      update companies set photo = '\\x01', updated_at = now() where id = 'a8'`);
    const second = await (await TestRun.open(harness, { runId: "run-2" })).transfer();
    expect(second).toMatchObject({
      outcome: "done",
      counts: { read: 3000, sent: 2, unchanged: 2998 },
    });
  });

  it("rejects a row for a value that JSON cannot carry, with its place, only where the mapping reads it", async () => {
    const { query, url } = await postgres();
    await query(`${companies}; insert into companies (id, domain, employees, photo) values
      ('a1', 'c1.example', 1, '\\x00'), ('a2', 'c2.example', 'NaN', null), ('a3', 'c3.example', null, null)`);
    const run = await TestRun.open(await projectOf(url, false));
    const report = await run.transfer();
    expect(report).toMatchObject({
      outcome: "done_with_rejects",
      counts: { read: 3, sent: 2, rejected: 1 },
    });
    const [reject] = await run.rejects();
    expect(reject).toMatchObject({ place: "public.companies:a2", code: "not_number" });
    expect(reject?.reason).toContain("nullif");
  });
});

import { describe, expect, it } from "vitest";

import { postgres, type TestDatabase } from "../../support/postgres/postgres.ts";
import { failureOf, Harness } from "../../support/project/harness.ts";
import { accountsFound } from "../../support/project/pull-project.ts";
import { PullRun } from "../../support/project/pull-run.ts";

function yamlOf({ url }: TestDatabase, more = ""): string {
  return `version: 1
api:
  base_url: \${SLUICE_BASE_URL}
  legacy_base_url: \${SLUICE_BASE_URL}
  api_key: \${SLUICE_API_KEY}
  requests_per_second: 1000000
connections:
  crm: { connector: postgres, url: "${url}" }
syncs: {}
pulls:
  scores:
    accounts: {}
    reject_limit: { rate: 100% }
    write_back:
      connection: crm
      table: scores
      key: { mk_id: mk_id }
      set: { fit: scores.customer_fit.score }
${more}`;
}

async function fits(database: TestDatabase): Promise<readonly unknown[]> {
  return (await database.query("select fit from scores order by mk_id")).map(({ fit }) => fit);
}

describe("writePage", () => {
  it("says of every result what became of it", async () => {
    const database = await postgres();
    await database.query("create table scores (mk_id text primary key, fit integer)");
    const harness = await Harness.open({ yaml: yamlOf(database) });
    await (await PullRun.open(harness)).finish();
    // Two rows are gone, one has changed, and half of the remaining ones must not be changed.
    const [first, second, third] = await database.query("select mk_id from scores order by mk_id");
    await database.query(`
      delete from scores where mk_id in ('${String(first?.["mk_id"])}', '${String(second?.["mk_id"])}');
      update scores set fit = -1;
      alter table scores add constraint fixed check (fit < 0 or fit >= 50);
      update scores set fit = 1000 where mk_id = '${String(third?.["mk_id"])}'`);
    const only = await harness.withYaml(yamlOf(database, "      insert: false\n"));
    const run = await PullRun.open(only, { runId: "run-2" });
    const report = await run.finish();
    expect(report).toMatchObject({
      outcome: "done_with_rejects",
      balanced: true,
      counts: { read: accountsFound, unchanged: 0 },
      pull: { missing: 2 },
    });
    const rejects = await run.rejects();
    expect(rejects.length).toBeGreaterThan(5);
    // Nothing replays them: the next round brings the results again.
    expect(rejects.filter(({ isOpen }) => isOpen)).toEqual([]);
    expect(report.pull?.written).toBe(accountsFound - 2 - rejects.length);
    const refused = await database.query("select mk_id from scores where fit = -1 order by mk_id");
    expect(rejects.map(({ place }) => place).toSorted()).toEqual(
      refused.map((row) => row["mk_id"]),
    );
    expect(rejects[0]).toMatchObject({
      step: "write",
      code: "refused_by_source",
      stream: "accounts",
    });
    expect(rejects[0]?.row).toContain(`"mk_id":"${rejects[0]?.place}"`);

    const again = await (await PullRun.open(only, { runId: "run-3" })).finish();
    expect(again.pull).toMatchObject({ written: 0, missing: 2 });
    expect(again.counts).toMatchObject({
      unchanged: report.pull?.written,
      rejected: rejects.length,
    });
  });

  it("keeps a page that cannot be written, and writes it when the table is there", async () => {
    const database = await postgres();
    const made = "create table scores (mk_id text primary key, fit integer)";
    await database.query(made);
    const harness = await Harness.open({ yaml: yamlOf(database) });
    const first = await PullRun.open(harness);
    await database.query("drop table scores");
    expect(await failureOf(first.pull())).toMatchObject({ type: "ConfigError" });
    await first.close({ outcome: "failed" });
    await database.query(made);
    const report = await (await PullRun.open(harness, { runId: "run-2" })).finish();
    expect(report).toMatchObject({ outcome: "done", pull: { calls: 0, continued: true } });
    expect(await fits(database)).toHaveLength(accountsFound);
    expect(await harness.sandbox.ledger("search")).toHaveLength(1);
  });
});

describe("a pull", () => {
  it("is not begun, and nothing paid, while its table cannot be written", async () => {
    const database = await postgres();
    const harness = await Harness.open({ yaml: yamlOf(database) });
    const opening = async (run: string): Promise<string> =>
      (await failureOf(PullRun.open(harness, { runId: run }))).message;
    expect(await opening("run-1")).toContain("there is no table scores to write to");
    await database.query("create table scores (mk_id text, fit integer)");
    expect(await opening("run-1")).toContain("nothing makes mk_id unique");
    expect(await harness.sandbox.ledger("search")).toEqual([]);
    await database.query("alter table scores add primary key (mk_id)");
    await (await PullRun.open(harness)).finish();
  });
});

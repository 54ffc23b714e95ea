import { expect, it } from "vitest";

import { lookForOlderMapping } from "../../../src/report/older-mapping.ts";
import type { RunReport } from "../../../src/report/report.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { accountsCsv, accountsYaml, Harness, harnessHead } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";
import { none, sendUntilStopped, stopped } from "../../support/stopped-send.ts";

const plan = ", plan: plan";

function tableYaml(url: string, more = "", ...sync: readonly string[]): string {
  return `${harnessHead}connections:
  crm: { connector: postgres, url: "${url}" }
syncs:
  accounts:
    from: { connection: crm, table: companies, changed_by: { column: updated_at, overlap: 1ms } }
    stream: account
    record: { account_id: id, domain: domain, account_properties: { name: name${more} } }
${sync.map((member) => `    ${member}\n`).join("")}`;
}

type Table = { readonly url: string; readonly query: (sql: string) => Promise<unknown> };

/** A table of four companies, one without a plan, so that a mapping with the plan makes the same record for it. */
async function companies(): Promise<Table> {
  const table = await postgres();
  await table.query(`create table companies (id text primary key, domain text, name text, plan text, updated_at
    timestamptz not null);
    insert into companies select 'p' || n, 'p' || n || '.example', 'P', case when n < 4 then 'gold' end,
      now() - interval '2 days' from generate_series(1, 4) n`);
  return table;
}

async function run(harness: Harness, runId: string): Promise<RunReport> {
  return await (await TestRun.open(harness, { runId })).transfer();
}

/** What `sluice status` reports about the mapping of the sync. */
async function statusOf({ deps }: Harness): Promise<string | undefined> {
  const sync = deps.config.syncs.get("accounts");
  const source = deps.sources.get(sync?.connector ?? "");
  if (sync === undefined || source === undefined) throw new Error("no sync accounts");
  return (await lookForOlderMapping(deps.state, { sync, source, target: deps.target })).text;
}

/** Sends everything again, in a backfill of the whole source. */
async function backfill(harness: Harness, more: object = {}): Promise<RunReport> {
  return await (await TestRun.backfill(harness, { more })).transfer();
}

const four =
  "the mapping changed since; 4 records were sent by the old one: `sluice backfill accounts` sends them by the new one";

it("a run that reads on says how many records an older mapping made, and a row that changes is one less", async () => {
  const { url, query } = await companies();
  const first = await Harness.open({ yaml: tableYaml(url) });
  expect(await run(first, "run-1")).toMatchObject({ counts: { sent: 4 }, warnings: [] });
  expect(await run(first, "run-2")).toMatchObject({ warnings: [] });
  const edited = await first.withYaml(tableYaml(url, plan));
  expect(await run(edited, "run-3")).toMatchObject({ outcome: "done", warnings: [four] });
  expect(await statusOf(edited)).toBe(four);
  await query("update companies set name = 'Q', updated_at = now() where id = 'p1'");
  expect((await run(edited, "run-4")).warnings).toEqual([four.replace("4 records", "3 records")]);
  // The original mapping: three records are its own, and one is from the other.
  const back = await first.withYaml(tableYaml(url));
  expect((await run(back, "run-5")).warnings).toEqual([
    four.replace("4 records were", "1 record was"),
  ]);
});

it("is quiet once a backfill has read everything, also of rows that it left alone or that are gone", async () => {
  const { url, query } = await companies();
  const first = await Harness.open({ yaml: tableYaml(url) });
  await run(first, "run-1");
  await query("delete from companies where id = 'p1'");
  const edited = await first.withYaml(tableYaml(url, plan));
  expect(await backfill(edited)).toMatchObject({ counts: { sent: 2, unchanged: 1 } });
  expect(await run(edited, "run-2")).toMatchObject({ outcome: "done", warnings: [] });
  expect(await statusOf(edited)).toBeUndefined();
});

it("counts on after a backfill of some rows", async () => {
  const { url } = await companies();
  const first = await Harness.open({ yaml: tableYaml(url) });
  await run(first, "run-1");
  const edited = await first.withYaml(tableYaml(url, plan));
  await backfill(edited, { keys: ["p1", "p2"] });
  expect((await run(edited, "run-2")).warnings).toEqual([four.replace("4 records", "2 records")]);
});

it("counts on after a backfill that was cut before anything of it was taken", async () => {
  const { url } = await companies();
  const first = await Harness.open({ yaml: tableYaml(url, "", none) });
  await run(first, "run-1");
  const edited = await first.withYaml(tableYaml(url, plan, none));
  const backfilled = await TestRun.backfill(edited);
  const how = { form: "file", answers: ["refused", "refused", "refused"] } as const;
  expect(await sendUntilStopped(backfilled, await backfilled.stage(), how)).toBe("TooManyRejects");
  await backfilled.close(stopped);
  // The company without a plan was seen to be the same.
  expect((await run(edited, "run-2")).warnings).toEqual([four.replace("4 records", "3 records")]);
});

it("counts on after fingerprints were forgotten, as by a restored store: the service holds what it held", async () => {
  const { url } = await companies();
  const first = await Harness.open({ yaml: tableYaml(url) });
  await run(first, "run-1");
  const edited = await first.withYaml(tableYaml(url, plan));
  const { target } = edited.deps;
  await edited.state.forgetFingerprints({ target, sync: "accounts" });
  expect((await run(edited, "run-2")).warnings).toEqual([four]);
  expect(await statusOf(edited)).toBe(four);
});

it("is not an alarm of a comment, or of another order of members", async () => {
  const { url } = await companies();
  const first = await Harness.open({ yaml: tableYaml(url, plan) });
  await run(first, "run-1");
  const text = tableYaml(url, plan).replace("name: name, plan: plan", "plan: plan, name: name");
  const edited = await first.withYaml(`${text}# as it was\n`);
  expect(await run(edited, "run-2")).toMatchObject({ warnings: [] });
});

it("says so without a number where nothing is known of single records", async () => {
  const { url } = await companies();
  const first = await Harness.open({ yaml: tableYaml(url, "", "send: all") });
  await run(first, "run-1");
  const edited = await first.withYaml(tableYaml(url, plan, "send: all"));
  const [warning] = (await run(edited, "run-2")).warnings;
  expect(warning).toContain("rows that did not change since were sent by the old one");
});

it("is not an alarm of a source that each run reads anew", async () => {
  const files = { "accounts.csv": accountsCsv(3) };
  const first = await Harness.open({ yaml: accountsYaml(), files });
  await run(first, "run-1");
  const edited = await first.withYaml(
    accountsYaml().replace("name: name", "name: name, title: name"),
  );
  expect(await run(edited, "run-2")).toMatchObject({ counts: { sent: 3 }, warnings: [] });
});

function growingYaml(module: string): string {
  return accountsYaml()
    .replace("path: accounts.csv", "path: accounts.csv, append_only: true")
    .replace(/record:[^]*$/, `record: ${module}\n`);
}

function moduleText(more: string): string {
  return (
    "export const mapRecord = (row) => ({ account_id: row.id, domain: row.domain, " +
    `account_properties: { name: row.name${more} } });`
  );
}

it("names of a file that grows the command that sends it again, and of a module its file", async () => {
  const files = {
    "accounts.csv": accountsCsv(3),
    "one.mjs": moduleText(""),
    "two.mjs": moduleText(', of: "two"'),
  };
  const first = await Harness.open({ yaml: growingYaml("./one.mjs"), files });
  await run(first, "run-1");
  const edited = await first.withYaml(growingYaml("./two.mjs"));
  expect((await run(edited, "run-2")).warnings).toEqual([
    "the mapping changed since; 3 records were sent by the old one: `sluice state reset " +
      "accounts` sends everything by the new one",
  ]);
});

import { describe, expect, it } from "vitest";

import { postgres } from "../support/postgres/postgres.ts";
import { accountsYaml, failureOf, Harness } from "../support/project/harness.ts";
import { TestRun } from "../support/project/test-run.ts";

/** Accounts out of what this connection reads. */
function yamlOf(url: string, reads: string): string {
  return accountsYaml()
    .replace("connector: csv, path: accounts.csv", `connector: postgres, url: "${url}"`)
    .replace("from: exports", `from: { connection: exports, ${reads} }`);
}

describe("a replay out of a table", () => {
  it("sends the rows as they are now, and rejects those that are gone", async () => {
    const { query, url } = await postgres();
    await query(`create table companies (id text primary key, domain text, name text);
        insert into companies values ('a', 'a.example', 'A'), ('b,1', null, 'B'), ('c', null, 'C'), ('d', null, 'D')`);
    const harness = await Harness.open({ yaml: yamlOf(url, "table: companies") });
    const first = await (await TestRun.open(harness)).transfer();
    expect(first.counts).toMatchObject({ read: 4, sent: 1, rejected: 3 });

    await query(`update companies set domain = 'b.example', name = 'Bo' where id = 'b,1';
        delete from companies where id = 'd'`);
    const request = { replay: { run: "run-1" } };
    const replay = await TestRun.open(harness, { runId: "run-2", request });
    expect((await replay.transfer()).counts).toMatchObject({ read: 3, sent: 1, rejected: 2 });
    expect(Object.fromEntries(await harness.sandbox.names())).toEqual({ a: "A", "b,1": "Bo" });
    const rejects = await replay.rejects();
    expect(rejects.map(({ place, code }) => [place, code])).toEqual([
      ["public.companies:c", "required"],
      ["public.companies:d", "row_gone"],
    ]);
  }, 120_000);

  it.each([
    ["table companies rename to firms", "text", "table: firms"],
    ["table companies set schema crm", "int", "table: crm.companies"],
    ["schema crm rename to other", "int", "query: select * from companies, key: [id]"],
  ])("leaves its rows alone after alter %s, with a key of %s", async (change, type, reads) => {
    const { query, url } = await postgres();
    await query(`create schema crm; create table companies (id ${type} primary key, domain text, name text);
        insert into companies values ('1', 'a.example', 'A'), ('2', null, 'B'), ('3', null, 'C')`);
    const harness = await Harness.open({ yaml: yamlOf(url, "table: companies") });
    await (await TestRun.open(harness)).transfer();

    await query(`alter ${change}`);
    const edited = await harness.withYaml(yamlOf(url, reads));
    const request = { replay: { run: "run-1" } };
    const replay = await TestRun.open(edited, { runId: "run-2", request });
    expect(await failureOf(replay.stage())).toMatchObject({
      type: "ConfigError",
      message: expect.stringContaining("the rejects cannot be replayed: ") as unknown,
      nonRetryable: true,
      details: [
        { hint: expect.stringContaining("or run the sync: it reads another one") as unknown },
      ],
    });
    await replay.close({ outcome: "failed" });
    const counts = await harness.state.replayCounts({ run: "run-1" });
    expect(counts).toMatchObject({ open: 2, replayed: 0 });
  });
});

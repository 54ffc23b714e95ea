import { describe, expect, it } from "vitest";

import { postgres } from "../support/postgres/postgres.ts";
import { accountsYaml, Harness } from "../support/project/harness.ts";
import { TestRun } from "../support/project/test-run.ts";

describe("a replay out of a table", () => {
  it("sends the rows as they are now, and rejects those that are gone", async () => {
    const { query, url } = await postgres();
    await query(`create table companies (id text primary key, domain text, name text);
        insert into companies values ('a', 'a.example', 'A'), ('b,1', null, 'B'), ('c', null, 'C'), ('d', null, 'D')`);
    const yaml = accountsYaml()
      .replace("connector: csv, path: accounts.csv", `connector: postgres, url: "${url}"`)
      .replace("from: exports", "from: { connection: exports, table: companies }");
    const harness = await Harness.open({ yaml });
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
});

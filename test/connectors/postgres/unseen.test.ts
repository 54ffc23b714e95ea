import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";

import { readLimitOfPostgres } from "../../../connectors/postgres/read-limit.ts";
import { ownPostgres, postgres } from "../../support/postgres/postgres.ts";
import { readRequestOf } from "./support.ts";

describe("readLimitOfPostgres", () => {
  it("warns of a session that does not say when its transaction began", async () => {
    const { query, url } = await postgres();
    await query("create table t (id int primary key, at timestamptz not null default now())");
    const ask = readRequestOf(url, { table: "t", changed_by: { column: "at" } });
    const other = new Client(url);
    await other.connect();
    onTestFinished(async () => await other.end());
    await other.query("set track_activities = off; begin; insert into t values (1)");
    const { warnings } = await readLimitOfPostgres(ask);
    expect(warnings?.join()).toMatch(/role .* \(its track_activities is off\): .* overlap only$/);
    await other.query("commit; set track_activities = on");
    expect((await readLimitOfPostgres(ask)).warnings).toEqual([]);
  });

  it.each([
    ["a foreign table", { table: "far", key: ["id"] }],
    ["a view of one", { table: "seen", key: ["id"] }],
    ["a query of a table with a partition elsewhere", { query: "table parted", key: ["id"] }],
  ])("warns that %s does not show its transactions", async (_, of) => {
    const { query, url } = await ownPostgres();
    await query(`create extension file_fdw; create server files foreign data wrapper file_fdw;
      create foreign table far (id int not null, at timestamptz not null) server files
        options (program 'true');
      create view seen as select id, at from far where id > 0;
      create table parted (id int not null, at timestamptz not null) partition by list (id);
      create foreign table part partition of parted for values in (1) server files
        options (program 'true')`);
    const ask = readRequestOf(url, { ...of, changed_by: { column: "at" } });
    const { warnings } = await readLimitOfPostgres(ask);
    expect(warnings).toEqual([expect.stringMatching(/foreign table .* up to the overlap only$/)]);
  });

  it.each([
    ["a table", { table: "t" }],
    ["a view of one", { table: "seen", key: ["id"] }],
    ["a partition", { table: "part" }],
    ["a table with partitions", { table: "parted" }],
  ])("warns that a subscription brings the rows of %s, and of no other table", async (_, of) => {
    const publisher = await ownPostgres();
    const { query, url } = await ownPostgres();
    const columns = "(id int primary key, at timestamptz not null)";
    const tables = `create table t ${columns}; create table parted ${columns}`;
    await publisher.query(`${tables}; create publication p for all tables`);
    await query(`${tables} partition by range (id); create table own ${columns};
      create table part partition of parted for values from (0) to (9);
      create view seen as select id, at from t where id > 0`);
    const idle = "create_slot = false, enabled = false, slot_name = none";
    await query(`create subscription s connection '${publisher.url}' publication p with (${idle})`);
    onTestFinished(async () => void (await query("drop subscription s")));
    const warnings = async (from: object): Promise<unknown> => {
      const ask = readRequestOf(url, { ...from, changed_by: { column: "at" } });
      return (await readLimitOfPostgres(ask)).warnings;
    };
    const warning = /^a subscription brings .* up to the overlap only$/;
    expect(await warnings(of)).toEqual([expect.stringMatching(warning)]);
    expect(await warnings({ table: "own" })).toEqual([]);
  });
});

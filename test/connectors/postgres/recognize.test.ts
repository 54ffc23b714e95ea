import { describe, expect, it, onTestFinished } from "vitest";

import { postgresIdentity } from "../../../connectors/postgres/identity.ts";
import { recognizePostgres } from "../../../connectors/postgres/recognize.ts";
import { PostgresCluster, runSql } from "../../support/postgres/postgres-cluster.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { roleOf } from "./role.ts";
import { readRequestOf } from "./support.ts";

/** The identity of a server, and why it is not the known one. */
async function seen(
  { url }: Pick<PostgresCluster, "url">,
  known?: unknown,
): Promise<{ readonly identity: unknown; readonly differs: string | undefined }> {
  const { identity, differs } = await recognizePostgres({ ...readRequestOf(url), known });
  return { identity, differs };
}

const pathIs = (schemas: string): string => `do $$ begin
  execute format('alter database %I set search_path = ${schemas}', current_database()); end $$`;

describe("recognizePostgres", () => {
  it("needs no rights beyond logging in", async () => {
    const database = await postgres();
    const { url } = await roleOf(database, () => "select 1");
    const { identity, differs } = await seen({ url }, (await seen(database)).identity);
    expect(differs).toBeUndefined();
    const { system, oid, timeline, wal, ...others } = postgresIdentity.parse(identity);
    expect(system).toMatch(/^\d{15,}$/);
    expect(oid).toMatch(/^\d+$/);
    expect(timeline).toBeGreaterThan(0);
    expect(wal).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/);
    const { host, pathname } = new URL(url);
    expect(others).toEqual({
      database: pathname.slice(1),
      addresses: [host],
      ahead: null,
    });
  });

  it("notices a database that was dropped and made again under its name", async () => {
    const cluster = await PostgresCluster.start();
    onTestFinished(async () => await cluster.remove());
    const crm = { url: Object.assign(new URL(cluster.url), { pathname: "/crm" }).href };
    await runSql(cluster.url, "create database crm");
    const { identity } = await seen(crm);
    await runSql(cluster.url, "drop database crm with (force)");
    await runSql(cluster.url, "create database crm");
    expect((await seen(crm, identity)).differs).toContain("not the one that was read before");
  });

  it("notices that the search path finds another table of the same name", async () => {
    const { query, url } = await postgres();
    await query(`create schema crm; create schema old;
      create table crm.t (id int primary key, at timestamptz not null);
      create table old.t (id int primary key, at timestamptz not null);
      ${pathIs("old, crm")}`);
    const ask = readRequestOf(url, { table: "t", changed_by: { column: "at" } });
    const { identity: known } = await recognizePostgres(ask);
    expect(await recognizePostgres({ ...ask, known })).toMatchObject({ beginsAnew: false });
    await query(pathIs("crm"));
    expect(await recognizePostgres({ ...ask, known })).toMatchObject({
      differs:
        "the table is crm.t now, and was old.t when the checkpoint was kept: rows come from another table",
      beginsAnew: true,
    });
  });

  it("goes by name and address where the role may not ask for the system identifier", async () => {
    const database = await postgres();
    const role = await roleOf(
      database,
      () => "revoke execute on function pg_control_system() from public",
    );
    onTestFinished(
      async () =>
        void (await database.query("grant execute on function pg_control_system() to public")),
    );
    const { identity, shown } = await recognizePostgres(readRequestOf(role.url));
    expect(postgresIdentity.parse(identity).system).toBeNull();
    expect(shown).toContain("whose system identifier this role may not ask for");
    const first = await seen(database);
    expect((await seen(role, first.identity)).differs).toBeUndefined();
  });
});

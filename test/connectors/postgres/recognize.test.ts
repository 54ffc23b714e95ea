import { describe, expect, it, onTestFinished } from "vitest";

import { postgresIdentity } from "../../../connectors/postgres/identity.ts";
import { recognizePostgres } from "../../../connectors/postgres/recognize.ts";
import { PostgresCluster, runSql } from "../../support/postgres/postgres-cluster.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { until } from "../../support/process/process.ts";
import { roleOf } from "./role.ts";
import { readRequestOf } from "./support.ts";

/** A server and a standby that has followed it to here. */
async function pair(): Promise<{ primary: PostgresCluster; standby: PostgresCluster }> {
  const primary = await PostgresCluster.start();
  onTestFinished(async () => await primary.remove());
  const standby = await primary.standby();
  onTestFinished(async () => await standby.remove());
  return { primary, standby };
}

async function promote({ url }: PostgresCluster): Promise<void> {
  await runSql(url, "select pg_promote()");
  await until(async () => {
    const [row] = await runSql(url, "select pg_is_in_recovery() as is_standby");
    return row?.["is_standby"] === false ? true : undefined;
  });
}

/** The identity of a server, and why it is not the one that is known. */
async function seen(
  { url }: Pick<PostgresCluster, "url">,
  known?: unknown,
): Promise<{ readonly identity: unknown; readonly differs: string | undefined }> {
  const { identity, differs } = await recognizePostgres({ ...readRequestOf(url), known });
  return { identity, differs };
}

describe("recognizePostgres", () => {
  it("takes a replica for a copy until it is confirmed, and for the same when it then takes over", async () => {
    const { primary, standby } = await pair();
    const first = await seen(primary);
    const copy = await seen(standby, first.identity);
    expect(copy.differs).toMatch(/at an address that was never confirmed/);
    // Both are known from now on, and the primary is where it was read last.
    const { identity: both, differs } = await seen(primary, copy.identity);
    expect(differs).toBeUndefined();
    await runSql(primary.url, "create table t (); select pg_switch_wal()");
    await until(async () => {
      const found = await runSql(standby.url, "select to_regclass('t') as t");
      return found[0]?.["t"] === "t" ? true : undefined;
    });
    await promote(standby);
    const after = await seen(standby, both);
    expect(after.differs).toBeUndefined();
    expect(postgresIdentity.parse(after.identity).timeline).toBe(2);
    // So it stays when the new primary is started again, and does not know any more where it took over.
    await standby.restart();
    expect((await seen(standby, after.identity)).differs).toBeUndefined();
  });

  it("notices a server that left its timeline before what was read", async () => {
    const { primary, standby } = await pair();
    await promote(standby);
    await runSql(primary.url, "create table t (); select pg_switch_wal(); create table u ()");
    const { identity } = await seen(primary);
    // As if it had been restored in place of the first.
    const known = {
      ...postgresIdentity.parse(identity),
      addresses: addressesOf(await seen(standby)),
    };
    expect((await seen(standby, known)).differs).toMatch(/went back to an older state/);
  });

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

function addressesOf({ identity }: { readonly identity: unknown }): readonly string[] {
  return postgresIdentity.parse(identity).addresses;
}

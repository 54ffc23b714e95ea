import { describe, expect, it, onTestFinished } from "vitest";

import { postgresIdentity } from "../../../connectors/postgres/identity.ts";
import { recognizePostgres } from "../../../connectors/postgres/recognize.ts";
import { PostgresCluster, runSql } from "../../support/postgres/postgres-cluster.ts";
import { until } from "../../support/process/process.ts";
import { readRequestOf } from "./support.ts";

/** A server and a standby that follows it. */
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

/** The identity of a server, and why it is not the known one. */
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
    // From now on both are known, and the last read was from the primary.
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
    // It stays so when the new primary is restarted, and no longer knows where it took over.
    await standby.restart();
    expect((await seen(standby, after.identity)).differs).toBeUndefined();
  });

  it("reads a standby of a database where serializable is the default", async () => {
    const { primary, standby } = await pair();
    await runSql(
      primary.url,
      "alter database postgres set default_transaction_isolation = serializable",
    );
    // Once the setting is there, any other client is refused.
    await until(async () => {
      return await runSql(standby.url, "select 1").then(
        () => false,
        () => true,
      );
    });
    await expect(seen(standby)).resolves.toMatchObject({ differs: undefined });
  });

  it("notices a server that left its timeline before what was read", async () => {
    const { primary, standby } = await pair();
    await promote(standby);
    await runSql(primary.url, "create table t (); select pg_switch_wal(); create table u ()");
    const { identity } = await seen(primary);
    // As if it had been restored over the first one.
    const known = {
      ...postgresIdentity.parse(identity),
      addresses: addressesOf(await seen(standby)),
    };
    expect((await seen(standby, known)).differs).toMatch(/went back to an older state/);
  });
});

function addressesOf({ identity }: { readonly identity: unknown }): readonly string[] {
  return postgresIdentity.parse(identity).addresses;
}

import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type { Finding } from "../../../connectors/contract/request.ts";
import { checkPostgres } from "../../../connectors/postgres/check.ts";
import { ownHost } from "../../support/certificates.ts";
import { ownPostgres, postgres } from "../../support/postgres/postgres.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { refusing } from "../../support/raw-server.ts";
import { roleOf } from "./role.ts";
import { readRequestOf } from "./support.ts";

async function check(url: string, members: object = {}): Promise<readonly Finding[]> {
  return await checkPostgres(readRequestOf(url, members));
}

/** The findings as lines, each failed step with its fix. */
function lines(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ name, ok, detail, fix }) =>
    ok ? `${name}: ${detail ?? "ok"}` : `FAIL ${name}: ${detail} → ${fix}`,
  );
}

async function failure(url: string, members: object = {}): Promise<readonly string[]> {
  const findings = await check(url, members);
  // No step follows a failed one.
  expect(findings.findIndex(({ ok }) => !ok)).toBe(findings.length - 1);
  return [...findings.slice(0, -1).map(({ name }) => name), ...lines(findings.slice(-1))];
}

describe("checkPostgres", () => {
  it("warns of a table whose policies may hide rows from the role, and not its owner", async () => {
    const db = await postgres();
    await db.query("create table t (id int primary key); insert into t values (1), (2)");
    const { url, name } = await roleOf(db, (role) => `grant select on t to ${role}`);
    expect(lines(await check(url, { table: "t" }))).toContain("table: public.t");
    await db.query(`alter table t enable row level security;
      create policy first on t to ${name} using (id = 1)`);
    expect(lines(await check(url, { table: "t" }))).toContain(
      "table: warning: policies of public.t decide which rows this role sees, and no others are sent",
    );
    expect(lines(await check(db.url, { table: "t" }))).toContain("table: public.t");
  });

  it("says of each step what it found", async () => {
    const db = await postgres();
    await db.query(`create table companies (id bigint primary key, name text, updated_at timestamptz not null);
      create index on companies (updated_at, id)`);
    const { url, name } = await roleOf(db, (role) => `grant select on companies to ${role}`);
    const { hostname, port, pathname } = new URL(url);
    const found = lines(
      await check(url, { table: "companies", changed_by: { column: "updated_at" } }),
    );
    expect(found).toEqual([
      `reachable: ${hostname}:${port}`,
      "TLS: off: the server is on this host",
      expect.stringMatching(new RegExp(`^login: ${name} at ${pathname.slice(1)}, Postgres \\d+`)),
      "table: public.companies",
      "columns: id bigint, name text, updated_at timestamp with time zone",
      "key: id: unique, never null",
      "change column: updated_at (timestamp with time zone)",
      "index on the change column: ok",
      // The session that made the table is the owner's.
      expect.stringMatching(/^open transactions: warning: .*pg_read_all_stats.*overlap only$/),
      "grants: the role may write no table",
    ]);
    await db.query(
      `grant pg_read_all_stats to ${name}; grant update (name) on companies to ${name}`,
    );
    const again = lines(
      await check(url, { table: "companies", changed_by: { column: "updated_at" } }),
    );
    expect(again.slice(-2)).toEqual([
      "open transactions: those of other sessions are seen",
      "grants: warning: the role may also write 1 table; unless it is for a write-back, " +
        "reading needs select alone, so give it a role of its own",
    ]);
  });

  it("asks for the zone of a change column that has none, and looks at its newest row", async () => {
    const { query, url } = await postgres();
    await query(`do $$ begin execute format('alter database %I set TimeZone = ''Asia/Tokyo''', current_database());
      end $$;
      create table companies (id bigint primary key, at timestamp not null);
      insert into companies values (1, now() at time zone 'UTC'), (2, '2099-01-01')`);
    const told = async (zone?: string): Promise<readonly string[]> => {
      const members = { table: "companies", changed_by: { column: "at" }, time_zone: zone };
      const found = (await check(url, members)).filter(({ name }) => /zone|newest/.test(name));
      return lines(found);
    };
    expect(await told()).toEqual([
      "FAIL time zone: at has no time zone and `time_zone` is not set: it is taken for " +
        "Asia/Tokyo, the server's own → " +
        "say which zone its times are in: `time_zone: UTC` (what most frameworks write), or `time_zone: Asia/Tokyo`",
      "newest row: warning: it is stamped 9 h behind the server's clock in Asia/Tokyo: if a row " +
        "changed since, `time_zone` is another",
    ]);
    expect(await told("UTC")).toEqual([]);
    expect(await told("Pacific/Honolulu")).toEqual([
      expect.stringMatching(
        /^FAIL newest row: it is stamped 10 h ahead of the server's clock in Pacific.Honolulu → /,
      ),
    ]);
  });

  it("ends with the role where no table is named", async () => {
    const { url } = await postgres();
    const findings = await check(url);
    expect(findings.map(({ name }) => name)).toEqual(["reachable", "TLS", "login", "grants"]);
    expect(findings.at(-1)?.detail).toContain("warning: the role is a superuser");
  });

  it("stops at a server that is not there or lets nobody in", async () => {
    const { url, urlOf } = await postgres();
    const { port } = await refusing();
    const nowhere = Object.assign(new URL(url), { port }).href;
    const closed = await check(nowhere);
    expect(closed).toMatchObject([{ name: "reachable", ok: false }]);
    expect(closed[0]?.detail).toContain("ECONNREFUSED");
    expect(closed[0]?.fix).toMatch(/^Check the address, and whether the server runs/);
    expect(await failure(urlOf("sluice", "wrong-1f2e"))).toEqual([
      "reachable",
      "TLS",
      expect.stringMatching(/^FAIL login: .*authentication failed/),
    ]);
    const database = Object.assign(new URL(url), { pathname: "/none" }).href;
    expect(await failure(database)).toEqual([
      "reachable",
      "TLS",
      expect.stringMatching(
        /^FAIL login: .*"none" does not exist.* → Check the name of the database/,
      ),
    ]);
    const all = [closed, await check(urlOf("sluice", "wrong-1f2e"))];
    expect(JSON.stringify(all)).not.toContain("wrong-1f2e");
  });

  it("says which TLS is used, and stops where it fails", async () => {
    const { url } = await ownPostgres();
    const folder = await temporaryFolder();
    await writeFile(join(folder, "own.pem"), ownHost.cert);
    const tlsOf = async (members: object): Promise<string | undefined> =>
      lines(await check(url, { folder, ...members })).find((line) => line.includes("TLS:"));
    expect(await tlsOf({ ca_file: "own.pem" })).toBe(
      "TLS: verify-full: the server's certificate and name are checked",
    );
    expect(await tlsOf({ tls: "require" })).toBe(
      "TLS: warning: require checks no certificate, so anyone in between can pose as the server",
    );
    expect(await failure(url, { tls: "verify-full" })).toEqual([
      "reachable",
      expect.stringMatching(/^FAIL TLS: .* → Give the authority's certificate as ca_file/),
    ]);
    expect(await failure(url, { folder, ca_file: "none.pem" })).toEqual([
      expect.stringMatching(/^FAIL TLS: ca_file none.pem cannot be read.* → Check the path/),
    ]);
  });

  it("stops at the step of the table that fails, with what fixes it", async () => {
    const db = await postgres();
    await db.query(`create table keyless (id int not null, at timestamptz not null);
      create table nullable (id int unique);
      create table companies (id int primary key, name text not null, seen timestamptz);
      create view with_null as select null::int as id`);
    const connected = ["reachable", "TLS", "login"];
    const of = async (members: object): Promise<readonly string[]> =>
      await failure(db.url, members);
    expect(await of({ table: "none" })).toEqual([
      ...connected,
      expect.stringMatching(/^FAIL table: there is no table none/),
    ]);
    expect(await of({ query: "select 1 as a, 2 as a", key: ["a"] })).toEqual([
      ...connected,
      expect.stringMatching(/^FAIL columns: two columns are called "a"/),
    ]);
    const atKey = [...connected, "table", "columns"];
    expect(await of({ table: "keyless" })).toEqual([
      ...atKey,
      expect.stringMatching(/^FAIL key: public.keyless has no primary key → .*key: \[id\]/),
    ]);
    expect(await of({ table: "keyless", key: ["id"] })).toEqual([
      ...atKey,
      expect.stringMatching(/^FAIL key: nothing keeps id unique.* → .*create unique index/),
    ]);
    expect(await of({ table: "nullable", key: ["id"] })).toEqual([
      ...atKey,
      expect.stringMatching(/^FAIL key: id may be null/),
    ]);
    expect(await of({ table: "with_null", key: ["id"] })).toEqual([
      ...atKey,
      expect.stringMatching(/^FAIL key: id may be null/),
    ]);
    expect(await of({ table: "companies", changed_by: { column: "name" } })).toEqual([
      ...atKey,
      "key",
      expect.stringMatching(/^FAIL change column: name is text/),
    ]);
  });

  it("asks for the right to read", async () => {
    const db = await postgres();
    await db.query(`create schema crm; create table crm."All.companies" (id int primary key)`);
    const { url, name } = await roleOf(db, (role) => `grant create on schema public to ${role}`);
    const usage = `grant usage on schema "crm" to "${name}";`;
    const select = `grant select on "crm"."All.companies" to "${name}";`;
    const table = 'crm."All.companies"';
    expect(await failure(url, { table })).toEqual([
      "reachable",
      "TLS",
      "login",
      expect.stringMatching(/^FAIL table: .*permission denied/),
    ]);
    expect((await failure(url, { table })).at(-1)).toContain(
      ` → Run: ${usage} ${select} where types of its columns are of another schema`,
    );
    await db.query(`${usage} ${select}`);
    expect((await check(url, { table })).filter(({ ok }) => !ok)).toEqual([]);
  });

  it("adds up the partitions of a table also where the server has no function for that", async () => {
    const db = await postgres();
    // Postgres 11 does not have it.
    await db.query(`revoke execute on function pg_partition_tree(regclass) from public;
      create table parts (id int primary key, note text, changed int not null) partition by range (id);
      create table part partition of parts for values from (0) to (100000)`);
    const { url } = await roleOf(db, (role) => `grant select on parts to ${role}`);
    const index = async (): Promise<string | undefined> =>
      lines(await check(url, { table: "parts", changed_by: { column: "changed" } })).find((line) =>
        line.includes("index"),
      );
    expect(await index()).toMatch(/none, and the table is small$/);
    await db.query(
      "insert into parts select n, repeat('x', 1000), n from generate_series(1, 10000) as n",
    );
    expect(await index()).toMatch(/warning: no index begins with "changed"/);
  });

  it("asks for an index on the change column of a table that is not small", async () => {
    const { url, query } = await postgres();
    await query("create table companies (id int primary key, note text, changed int not null)");
    const index = async (): Promise<Finding | undefined> =>
      (await check(url, { table: "companies", changed_by: { column: "changed" } })).find(
        ({ name }) => name === "index on the change column",
      );
    expect(await index()).toMatchObject({ ok: true, detail: "none, and the table is small" });
    await query(
      "insert into companies select n, repeat('x', 1000), n from generate_series(1, 10000) as n",
    );
    const found = await index();
    expect(found).toMatchObject({
      ok: true,
      detail: 'warning: no index begins with "changed", so each page sorts the whole table',
      fix: 'create index concurrently on "companies" ("changed", "id");',
    });
    await query(
      "create index on companies (id, changed); create index on companies (changed) where id > 5",
    );
    expect((await index())?.fix).toBe(found?.fix);
    await query(found?.fix ?? "");
    expect(await index()).toEqual({ name: "index on the change column", ok: true });
  });
});

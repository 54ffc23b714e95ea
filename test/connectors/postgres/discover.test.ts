import { describe, expect, it } from "vitest";

import type { Discovery } from "../../../connectors/contract/connector.ts";
import { withSession } from "../../../connectors/postgres/client.ts";
import { discoverPostgres } from "../../../connectors/postgres/discover.ts";
import { describeSource } from "../../../connectors/postgres/source.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { roleOf } from "./role.ts";
import { readRequestOf } from "./support.ts";

async function discover(url: string, max = 100): Promise<readonly Discovery[]> {
  return await discoverPostgres({ ...readRequestOf(url), max });
}

describe("discoverPostgres", () => {
  it("finds tables with their columns, key and change column, in a form that can be read", async () => {
    const { url, query } = await postgres();
    await query(`
      create schema crm;
      create domain mail as text;
      create type stage as enum ('new');
      create type constructor as enum ('new');
      create table crm.companies (id bigint primary key, name varchar(80), founded date, "isOpen" boolean,
        revenue numeric(12,2), tags text[], raw jsonb, ref uuid, stage stage, odd constructor, mail mail, price money,
        created_at timestamptz not null, updated_at timestamptz not null);
      create table crm.visits ("on" date not null, company int not null, n int, updated_at timestamptz,
        unique ("on", company), unique (n));
      create table crm."My.Table" (a int not null, b int not null, primary key (b, a));
      create table crm.keyless (modified_at timestamp not null);
      create view crm.named as select id, name from crm.companies`);
    const found = await discover(url);
    expect(found.map(({ name, from, key }) => ({ name, from, key }))).toEqual([
      {
        name: 'crm."My.Table"',
        from: { table: 'crm."My.Table"' },
        key: ["b", "a"],
      },
      {
        name: "crm.companies",
        from: { table: "crm.companies", changed_by: { column: "updated_at" } },
        key: ["id"],
      },
      { name: "crm.keyless", from: { table: "crm.keyless" }, key: [] },
      { name: "crm.named", from: { table: "crm.named" }, key: [] },
      {
        name: "crm.visits",
        from: { table: "crm.visits", key: ["on", "company"] },
        key: ["on", "company"],
      },
    ]);
    const companies = found.find(({ name }) => name === "crm.companies");
    expect(companies?.columns.map(({ name, type, note }) => `${name} ${type} ${note}`)).toEqual([
      "id number bigint",
      "name string character varying(80)",
      "founded date date",
      "isOpen boolean boolean",
      "revenue number numeric(12,2)",
      "tags json text[]",
      "raw json jsonb",
      "ref string uuid",
      "stage string stage",
      "odd string constructor",
      "mail string mail",
      "price other money",
      "created_at time timestamp with time zone",
      "updated_at time timestamp with time zone",
    ]);
    expect(companies?.columns.filter(({ isNullable }) => isNullable === false)).toHaveLength(3);
    for (const { from, key } of found) {
      if (key.length === 0) continue;
      const ask = readRequestOf(url, from);
      const source = await withSession(
        ask,
        async (session) => await describeSource(session, ask.config),
      );
      expect(source.key.map(({ name }) => name)).toEqual(key);
    }
  });

  it("shows what the role may read, and no parts of tables", async () => {
    const db = await postgres();
    await db.query(`
      create table open (id int primary key);
      create table closed (id int primary key);
      create table half (id int primary key, secret text);
      create table parts (id int) partition by range (id);
      create table part partition of parts for values from (0) to (10);
      create schema hidden; create table hidden.open (id int)`);
    const { url } = await roleOf(
      db,
      (role) => `grant select on open, parts, part, hidden.open to ${role};
        grant select (id) on half to ${role}`,
    );
    const names = async (max?: number): Promise<readonly string[]> =>
      (await discover(url, max)).map(({ name }) => name);
    expect(await names()).toEqual(["public.open", "public.parts"]);
    expect(await names(1)).toEqual(["public.open"]);
    expect(await names(2)).toEqual(["public.open", "public.parts"]);
  });

  it("names the role and the grant where it may read no table of those that are there", async () => {
    const db = await postgres();
    await db.query("create schema crm; create table crm.companies (id int primary key)");
    const { url, name } = await roleOf(db, () => "select");
    const grant = `grant usage on schema "crm" to "${name}"; grant select on all tables in schema "crm" to "${name}";`;
    await expect(discover(url)).rejects.toMatchObject({ field: "url", hint: `Run: ${grant}` });
    await db.query(grant);
    expect(await discover(url)).toHaveLength(1);
  });
});

import { describe, expect, it } from "vitest";

import { Session } from "../../../connectors/postgres/client.ts";
import { sqlStateOf } from "../../../src/postgres/errors.ts";
import { postgres, type TestDatabase } from "../../support/postgres/postgres.ts";
import { roleOf } from "./role.ts";
import { readRequestOf } from "./support.ts";

/** Statements that change the tables of a database. */
const changes = {
  insert: "insert into companies values (2, 'new')",
  update: "update companies set name = 'other'",
  delete: "delete from companies",
  truncate: "truncate companies",
  "delete in a select": "with gone as (delete from companies returning *) select * from gone",
  "delete in an explain": "explain analyze delete from companies",
  "delete in a block": "do $$ begin delete from companies; end $$",
  "create table": "create table mine (id int)",
  "create temporary table": "create temporary table mine (id int)",
  "alter table": "alter table companies add mine int",
  "drop table": "drop table companies",
  "create index": "create index on companies (name)",
};

/** Statements that leave the database, or bypass the session's settings. */
const ways = {
  "copy to a program": "copy companies to program 'cat > /dev/null'",
  "copy to a file": "copy companies to '/dev/null'",
  "read a file": "select pg_read_file('/etc/hostname')",
  "write a file": "select lo_export(1, '/dev/null')",
  "another connection": "select dblink_exec('dbname=postgres', 'drop table companies')",
  "a second statement": "select 1; drop table companies",
};

/** A missing right; a read-only transaction; more than one statement; a connection without a password. */
const refusals = ["42501", "25006", "42601", "2F003"];

/** The SQLSTATEs of statements, each in a session of its own. */
async function statesOf(
  url: string,
  statements: Readonly<Record<string, string>>,
  before: string,
): Promise<Readonly<Record<string, string>>> {
  const states: Record<string, string> = {};
  for (const [name, sql] of Object.entries(statements)) {
    const session = await Session.open(readRequestOf(url));
    try {
      await session.query(before);
      await session.query(sql);
      states[name] = "done";
    } catch (error) {
      states[name] = sqlStateOf(error) ?? String(error);
    } finally {
      await session.close();
    }
  }
  return states;
}

// A role may turn the setting off itself.
const settingOn = "show default_transaction_read_only";
const settingOff = "set default_transaction_read_only = off";

async function database(): Promise<TestDatabase> {
  const db = await postgres();
  // Everybody may make temporary tables, and before Postgres 15 also others in `public`, unless that right is revoked.
  await db.query(`
    create table companies (id int primary key, name text);
    insert into companies values (1, 'Acme');
    create extension if not exists dblink;
    do $$ begin execute format('revoke temporary on database %I from public', current_database()); end $$;
    revoke create on schema public from public`);
  return db;
}

/** The tables and rows of the database. */
async function stateOf({ query }: TestDatabase): Promise<unknown> {
  const relations = await query(
    "select relname, relnatts from pg_class where relnamespace = 'public'::regnamespace order by 1",
  );
  return { relations, rows: await query("select xmin, * from companies") };
}

describe("a role with select alone", () => {
  it.for([settingOn, settingOff])(
    "is refused each of the 18 writes, also once it turned the setting off (P15, T5): %s",
    async (setting) => {
      const db = await database();
      const { url } = await roleOf(db, (role) => `grant select on companies to ${role}`);
      const before = await stateOf(db);
      const states = await statesOf(url, { ...changes, ...ways }, setting);
      expect(Object.keys(states)).toHaveLength(18);
      const succeeded = Object.entries(states).filter(([, state]) => !refusals.includes(state));
      expect(succeeded).toEqual([]);
      expect(await stateOf(db)).toEqual(before);
    },
  );
});

describe("a session for reading", () => {
  it("refuses the changes of a role that may make them", async () => {
    const db = await database();
    const before = await stateOf(db);
    const states = await statesOf(db.url, changes, settingOn);
    expect(new Set(Object.values(states))).toEqual(new Set(["25006"]));
    expect(await stateOf(db)).toEqual(before);
  });

  it("is not a wall by itself: a role that may write can turn the setting off", async () => {
    const db = await database();
    const { url } = await roleOf(db, (role) => `grant select, insert on companies to ${role}`);
    const { insert } = changes;
    expect(await statesOf(url, { insert }, settingOn)).toEqual({ insert: "25006" });
    expect(await statesOf(url, { insert }, settingOff)).toEqual({ insert: "done" });
  });
});

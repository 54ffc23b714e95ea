import { describe, expect, it } from "vitest";

import { withSession } from "../../../connectors/postgres/client.ts";
import {
  assertNoNull,
  describeSource,
  type PostgresSource,
} from "../../../connectors/postgres/source.ts";
import { ConfigError } from "../../../src/errors.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { readRequestOf } from "./support.ts";

async function describedBy(ask: ReturnType<typeof readRequestOf>): Promise<PostgresSource> {
  return await withSession(ask, async (session) => {
    const source = await describeSource(session, ask.config);
    await assertNoNull(session, source);
    return source;
  });
}

async function ofQuery(text: string): Promise<PostgresSource> {
  const { query, url } = await postgres();
  await query("create table t (id int primary key)");
  return await describedBy(readRequestOf(url, { query: text, key: ["id"] }));
}

describe("describeSource", () => {
  it("finds the primary key, in the key's own order", async () => {
    const { query, url } = await postgres();
    await query("create table t (a int, b text, c int, primary key (c, a) include (b))");
    const { key, from, place } = await describedBy(readRequestOf(url, { table: "t" }));
    expect(key.map(({ name }) => name)).toEqual(["c", "a"]);
    expect({ from, place }).toEqual({ from: '"public"."t"', place: "public.t" });
  });

  it("knows domains and their lists by what they are made of", async () => {
    const { query, url } = await postgres();
    await query(`create domain code as char(3);
      create table t (id code primary key, codes code[], vector int2vector)`);
    const { columns } = await describedBy(readRequestOf(url, { table: "t" }));
    expect(columns.map(({ type, items }) => [type, items])).toEqual([
      ["bpchar", undefined],
      ["code[]", { type: "bpchar", delimiter: "," }],
      ["int2vector", undefined],
    ]);
  });

  it("takes a unique key of columns that are not null, views, partitions and materialised views", async () => {
    const { query, url } = await postgres();
    await query(`create table u (id int not null unique, n int);
      create view v as select * from u;
      create materialized view m as select * from u;
      create table p (id int primary key) partition by range (id);
      create table p1 partition of p for values from (0) to (10)`);
    await query(`create collation caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
      create table c (id text collate caseless primary key)`);
    for (const table of ["u", "v", "m", "p", "c"]) {
      const { key } = await describedBy(readRequestOf(url, { table, key: ["id"] }));
      expect(key.map(({ name }) => name)).toEqual(["id"]);
    }
  });

  it.each([
    "select id from t limit 5",
    "select id from t order by id desc fetch first 5 rows only",
    "select id from (select id from t limit 5) as few",
    "select id from t offset 2",
  ])("refuses a query that is cut short by itself: %s", async (text) => {
    await expect(ofQuery(text)).rejects.toThrow("a limit of its own");
  });

  it.each([
    "select id from t where id in (select id from t limit 5)",
    "select id, (select id from t limit 1) as one from t",
    "select id from t limit all",
  ])("takes a query whose rows are not cut short: %s", async (text) => {
    expect((await ofQuery(text)).place).toBe("query");
  });

  const changedBy = { column: "at" };

  it.each([
    {
      what: "a change column that may be null",
      sql: "create table t (id int primary key, at timestamptz)",
      members: { table: "t", changed_by: changedBy },
      message: "at may be null",
    },
    {
      what: "a key that may be null",
      sql: "create table t (id int unique)",
      members: { table: "t", key: ["id"] },
      message: "id may be null",
    },
    {
      what: "a key that nothing keeps unique",
      sql: "create table t (id int not null)",
      members: { table: "t", key: ["id"] },
      message: "nothing keeps id unique in public.t",
    },
    {
      what: "a key that is unique in part of the table",
      sql: "create table t (id int not null); create unique index on t (id) where id > 5",
      members: { table: "t", key: ["id"] },
      message: "nothing keeps id unique in public.t",
    },
    {
      what: "a key that its index alone tells apart",
      sql: `create collation caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
        create table t (id text collate caseless not null); create unique index on t (id collate "C")`,
      members: { table: "t", key: ["id"] },
      message: "nothing keeps id unique in public.t",
    },
    {
      what: "no key at all",
      sql: "create table t (id int not null)",
      members: { table: "t" },
      message: "public.t has no primary key",
    },
    {
      what: "a query without a key",
      members: { query: "select 1 as id" },
      message: "a query needs a key",
    },
    {
      what: "a query whose key is null somewhere",
      members: { query: "select n as id from (values (1), (null)) v (n)", key: ["id"] },
      message: "id may be null",
    },
    {
      what: "two columns of one name",
      members: { query: "select 1 as id, 2 as id", key: ["id"] },
      message: 'two columns are called "id"',
    },
    {
      what: "a table that is not there",
      members: { table: "crm.T" },
      message: "there is no table crm.T",
    },
    {
      what: "a sequence",
      sql: "create sequence t",
      members: { table: "t" },
      message: "there is no table t",
    },
    {
      what: "a key column that is not there",
      sql: "create table t (id int primary key)",
      members: { table: "t", key: ["ID"] },
      message: 'there is no column "ID"',
      hint: /^There are id\.$/,
    },
    {
      what: "a change column of text",
      sql: "create table t (id int primary key, at text not null)",
      members: { table: "t", changed_by: changedBy },
      message: "at is text",
    },
    {
      what: "a duration over numbers",
      sql: "create table t (id int primary key, at bigint not null)",
      members: { table: "t", changed_by: { ...changedBy, overlap: "1h" } },
      message: "the overlap is of another kind",
    },
    {
      what: "a number over times",
      sql: "create table t (id int primary key, at timestamptz not null)",
      members: { table: "t", changed_by: { ...changedBy, overlap: 5 } },
      message: "the overlap is of another kind",
    },
    { what: "neither table nor query", members: {}, message: "neither a table nor a query" },
  ])("refuses $what", async ({ sql = "select 1", members, message, hint = /\.$/ }) => {
    const { query, url } = await postgres();
    await query(sql);
    const failure = await describedBy(readRequestOf(url, members)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigError);
    expect(failure).toHaveProperty("message", expect.stringContaining(message));
    expect(failure).toHaveProperty("hint", expect.stringMatching(hint));
  });
});

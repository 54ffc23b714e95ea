import { describe, expect, it } from "vitest";

import type { Written } from "../../../connectors/contract/connector.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { until } from "../../support/process/process.ts";
import { roleOf } from "./role.ts";
import { scorePatch as patch, writeScores as write } from "./write-scores.ts";

const written: Written = { done: "written" };
const missing: Written = { done: "missing" };
const kept: Written = {
  rejected: "its row kept other values: a trigger or a policy of the table let nothing change it",
};

/** A trigger function `stop`, for each row. */
function stopping(body: string): string {
  return `create function stop() returns trigger language plpgsql as $$ begin ${body} end $$;`;
}

describe("writePostgres, of rows that others change meanwhile", () => {
  it.each([
    ["removes", "delete from scores", true, written],
    ["removes", "delete from scores", false, missing],
    ["renames", "update scores set id = 'b'", true, written],
    ["renames", "update scores set id = 'b'", false, missing],
  ] as const)("goes by the table as it is once another session %s a row", async (...of) => {
    const [, change, insert, answer] = of;
    const { url, query, admin } = await postgres();
    await query(`create table scores (id text primary key, fit int);
      insert into scores values ('a', 1)`);
    await admin.query(`begin; ${change}`);
    const answers = write(url, [patch("a", 2)], { insert });
    await until(async () => (await query("select from pg_locks where not granted")).length > 0);
    await admin.query("commit");
    expect(await answers).toEqual([answer]);
    const rows = await query("select fit from scores where id = 'a'");
    expect(rows).toEqual(insert ? [{ fit: 2 }] : []);
  });
});

describe("writePostgres, into a table that does not take everything", () => {
  it("does not call a row unchanged that a trigger kept as it was", async () => {
    const { url, query } = await postgres();
    await query(`create table scores (id text primary key, fit int);
      insert into scores values ('a', 1), ('b', 2);
      ${stopping("return null;")}
      create trigger stop before insert or update on scores for each row execute function stop()`);
    const answers = await write(url, [patch("a", 2), patch("b", 2), patch("c", 2)]);
    expect(answers).toEqual([kept, { done: "unchanged" }, missing]);
  });

  it("does not call a row unchanged that a policy kept as it was", async () => {
    const db = await postgres();
    await db.query(`create table scores (id text primary key, fit int);
      insert into scores values ('a', 1), ('b', 1);
      alter table scores enable row level security;
      create policy seen on scores for select using (true);
      create policy changed on scores for update using (id = 'b')`);
    const { url } = await roleOf(db, (role) => `grant select, insert, update on scores to ${role}`);
    expect(await write(url, [patch("a", 2), patch("b", 2)])).toEqual([kept, written]);
  });

  it("refuses the one row that a policy refuses, and writes the others", async () => {
    const db = await postgres();
    await db.query(`create table scores (id text primary key, fit int);
      insert into scores values ('a', 1);
      alter table scores enable row level security;
      create policy all_but_two on scores using (true) with check (fit <> 2)`);
    const { url } = await roleOf(db, (role) => `grant select, insert, update on scores to ${role}`);
    const rejected = "a policy of row level security refuses it";
    const answers = await write(url, [patch("a", 2), patch("b", 2), patch("c", 3)]);
    expect(answers).toEqual([{ rejected }, { rejected }, written]);
    expect(await db.query("select * from scores")).toEqual([
      { id: "a", fit: 1 },
      { id: "c", fit: 3 },
    ]);
  });

  it("names the table whose rows point to the value that would be replaced", async () => {
    const { url, query } = await postgres();
    await query(`create table scores (id text primary key, fit int unique);
      create table used (fit int constraint used_fit references scores (fit));
      insert into scores values ('a', 1); insert into used values (1)`);
    const rejected = "it breaks the foreign key used_fit of the table used";
    expect(await write(url, [patch("a", 2), patch("b", 3)])).toEqual([{ rejected }, written]);
  });

  it("says of a type that needs a value what it knows, and names no key", async () => {
    const { url, query } = await postgres();
    await query(`create domain rank as int not null;
      create table scores (id text primary key, fit rank)`);
    const rejected = "the column fit: it needs a value";
    expect(await write(url, [patch("a", null), patch("b", 3)])).toEqual([{ rejected }, written]);
  });

  it.each(["view", "materialized view"])("refuses a %s, which no index helps", async (kind) => {
    const { url, query } = await postgres();
    await query(`create table stored (id text primary key, fit int);
      create ${kind} scores as select * from stored`);
    await expect(write(url, [patch("a", 1)])).rejects.toMatchObject({
      message: "scores is a view, and only tables are written",
      field: "table",
      hint: "Name the table that it shows.",
    });
  });

  it("says that no partition takes a row", async () => {
    const { url, query } = await postgres();
    await query(`create table scores (id text primary key, fit int) partition by range (id);
      create table first_scores partition of scores for values from ('a') to ('c')`);
    const rejected = "no partition of the table takes it";
    expect(await write(url, [patch("a", 2), patch("d", 3)])).toEqual([written, { rejected }]);
  });

  it.each(["45000", "MY001", "ERR42", "P0004", "38000", "55000", "42501", "23505"])(
    "refuses the one row of which a trigger says %s, and does not say what else it says",
    async (state) => {
      const { url, query } = await postgres();
      await query(`create table scores (id text primary key, fit int);
        ${stopping(`if new.fit = 2 then raise exception 'canary' using errcode = '${state}'; end if; return new;`)}
        create trigger stop before insert on scores for each row execute function stop()`);
      const rejected = "a trigger of the table refuses it";
      expect(await write(url, [patch("a", 2), patch("b", 3)])).toEqual([{ rejected }, written]);
    },
  );

  it("tries again what a trigger says that passes, and does not say what else it says", async () => {
    const { url, query } = await postgres();
    await query(`create table scores (id text primary key, fit int);
      ${stopping("raise exception 'canary' using errcode = 'lock_not_available';")}
      create trigger stop before insert on scores for each row execute function stop()`);
    await expect(write(url, [patch("a", 2)])).rejects.toMatchObject({
      code: "Unavailable",
      message: expect.stringMatching(/: SQLSTATE 55P03$/) as unknown,
    });
  });

  it("refuses the one row for which a trigger or a policy finds several values where one is meant", async () => {
    const { url, query } = await postgres();
    await query(`create table scores (id text primary key, fit int);
      ${stopping("new.fit := (select n from generate_series(1, new.fit) as n); return new;")}
      create trigger stop before insert on scores for each row execute function stop()`);
    const rejected = "a trigger or a policy of the table finds several values for it";
    expect(await write(url, [patch("a", 2), patch("b", 1)])).toEqual([{ rejected }, written]);
  });

  it("writes one after the other what a trigger gives the same key", async () => {
    const { url, query } = await postgres();
    await query(`create table scores (id text primary key, fit int);
      ${stopping("new.id := lower(new.id); return new;")}
      create trigger stop before insert on scores for each row execute function stop()`);
    expect(await write(url, [patch("A", 1), patch("a", 2), patch("b", 3)])).toEqual([
      missing,
      written,
      written,
    ]);
    expect(await query("select id, fit from scores order by id")).toEqual([
      { id: "a", fit: 2 },
      { id: "b", fit: 3 },
    ]);
  });
});

it.each([
  ["citext", "ACME", "Acme"],
  ["citext[]", ["ACME"], ["Acme"]],
  ["text collate anycase", "ACME", "Acme"],
  ["interval", "P1M", "P30D"],
] as const)("writePostgres replaces a value that only %s takes for the same", async (...of) => {
  const [type, before, after] = of;
  const { url, query } = await postgres();
  await query(`create extension citext;
    create collation anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
    create table scores (id text primary key, fit ${type})`);
  for (const value of [before, after]) {
    expect(await write(url, [patch("a", value)])).toEqual([written]);
    expect(await write(url, [patch("a", value)])).toEqual([{ done: "unchanged" }]);
  }
});

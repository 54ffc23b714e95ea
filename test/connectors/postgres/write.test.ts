import { describe, expect, it } from "vitest";

import type { Written } from "../../../connectors/contract/connector.ts";
import { rowLockWaitMs } from "../../../connectors/postgres/limits.ts";
import { ConfigError, RetryLater } from "../../../src/errors.ts";
import type { JsonValue } from "../../../src/records/json-value.ts";
import { postgres, type TestDatabase } from "../../support/postgres/postgres.ts";
import { until } from "../../support/process/process.ts";
import { roleOf } from "./role.ts";
import { scorePatch as patch, writeScores as write } from "./write-scores.ts";

const written: Written = { done: "written" };
const unchanged: Written = { done: "unchanged" };
const missing: Written = { done: "missing" };

/** Everything that a second write could change: each row as text, with the transaction that wrote it. */
async function stateOf({ query }: TestDatabase, table = "scores"): Promise<unknown> {
  return await query(`select xmin, md5(t::text), t::text as row from ${table} as t order by 3`);
}

describe("writePostgres", () => {
  it("adds rows and changes the named columns alone", async () => {
    const { url, query } = await postgres();
    await query(
      "create table scores (id text primary key, fit int, note text default 'new');" +
        "insert into scores values ('a', 1, 'kept'), ('b', 2, 'kept')",
    );
    const patches = [patch("a", 10), patch("b", 2), patch("c", 3), patch("d", null)];
    expect(await write(url, patches)).toEqual([written, unchanged, written, written]);
    expect(await query("select id, fit, note from scores order by id")).toEqual([
      { id: "a", fit: 10, note: "kept" },
      { id: "b", fit: 2, note: "kept" },
      { id: "c", fit: 3, note: "new" },
      { id: "d", fit: null, note: "new" },
    ]);
  });

  it("changes only rows that are there with insert: false", async () => {
    const { url, query } = await postgres();
    await query(
      "create table scores (id text primary key, fit int); insert into scores values ('a', 1)",
    );
    const answers = await write(url, [patch("b", 1), patch("a", 2)], { insert: false });
    expect(answers).toEqual([missing, written]);
    expect(await query("select * from scores")).toEqual([{ id: "a", fit: 2 }]);
  });

  it("leaves the table byte-identical the second time, also what triggers and defaults stamp (P17)", async () => {
    const db = await postgres();
    await db.query(`
      create table scores (id text primary key, n bigserial, fit numeric(10,2),
        updated_at timestamptz not null default clock_timestamp());
      create function stamp() returns trigger language plpgsql as
        $$ begin new.updated_at = clock_timestamp(); return new; end $$;
      create trigger stamp before insert or update on scores for each row execute function stamp()`);
    const page = Array.from({ length: 1_000 }, (_, n) => patch(`a${n}`, n / 7));
    expect(await write(db.url, page)).toEqual(page.map(() => written));
    const before = await stateOf(db);
    const numbers = await db.query("select last_value from scores_n_seq");
    expect(await write(db.url, page)).toEqual(page.map(() => unchanged));
    expect(await stateOf(db)).toEqual(before);
    // No numbers of the sequence are used up every night either.
    expect(await db.query("select last_value from scores_n_seq")).toEqual(numbers);
  });

  it("reads values as their columns' types do, and knows them again", async () => {
    const db = await postgres();
    const columns: Readonly<
      Record<string, readonly [type: string, value: JsonValue, text: string]>
    > = {
      i: ["integer", 7, "7"],
      b: ["bigint", "9007199254740993", "9007199254740993"],
      n: ["numeric(10,2)", 0.125, "0.13"],
      wide: ["numeric", 1e-7, "0.0000001"],
      f: ["double precision", 0.1, "0.1"],
      t: ["text", 'quo"te, \\ and 😀\n', 'quo"te, \\ and 😀\n'],
      literal: ["text", "\\u0000", "\\u0000"],
      number_as_text: ["text", 1.5, "1.5"],
      object_as_text: ["text", { a: [1, null] }, '{"a":[1,null]}'],
      v: ["varchar(5)", "abcde", "abcde"],
      c: ["char(4)", "ab", "ab"],
      bits: ["bit(3)", "101", "101"],
      ok: ["boolean", false, "false"],
      at: ["timestamptz", "2024-03-10T00:00:00.123456+09:00", "2024-03-09 15:00:00.123456+00"],
      day: ["date", "2024-03-10", "2024-03-10"],
      j: ["jsonb", { b: 1, a: ["x", null] }, '{"a": ["x", null], "b": 1}'],
      text_j: ["jsonb", "only text", '"only text"'],
      raw_j: ["json", { b: 1, a: 2 }, '{"b":1,"a":2}'],
      list: ["text[]", ['a"b', null, "c,d"], '{"a\\"b",NULL,"c,d"}'],
      raw_list: ["json[]", [{ a: 1 }], '{"{\\"a\\":1}"}'],
      grid: [
        "int[]",
        [
          [1, 2],
          [3, 4],
        ],
        "{{1,2},{3,4}}",
      ],
      mood: ["mood", "happy", "happy"],
      mail: ["mail", "a@b.example", "a@b.example"],
      p: ["point", "(1,2)", "(1,2)"],
      square: ["box", "(1,1),(0,0)", "(1,1),(0,0)"],
      x: ["xml", "<a/>", "<a/>"],
      bytes: ["bytea", "\\x00ff", "\\x00ff"],
      none: ["jsonb", null, "none"],
    };
    const list = Object.entries(columns).map(([name, [type]]) => `${name} ${type}`);
    await db.query(`
      create type mood as enum ('happy');
      create domain mail as text check (value like '%@%');
      create table scores (id uuid primary key, ${list.join(", ")})`);
    const values = Object.entries(columns).map(([name, [, value]]): [string, JsonValue] => [
      name,
      value,
    ]);
    const page = [
      { key: { id: "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11" }, set: Object.fromEntries(values) },
    ];
    expect(await write(db.url, page)).toEqual([written]);
    const texts = Object.keys(columns).map((name) => `coalesce(${name}::text, 'none') as ${name}`);
    await db.admin.query("set timezone = 'UTC'");
    const { rows } = await db.admin.query<Record<string, string>>(
      `select ${texts.join(", ")} from scores`,
    );
    expect(rows).toEqual([
      Object.fromEntries(Object.entries(columns).map(([name, [, , text]]) => [name, text])),
    ]);
    const before = await stateOf(db);
    expect(await write(db.url, page)).toEqual([unchanged]);
    expect(await stateOf(db)).toEqual(before);
    // Two boxes with the same area are not the same.
    const [only] = page;
    const moved = { key: only?.key ?? {}, set: { ...only?.set, square: "(2,2),(1,1)" } };
    expect(await write(db.url, [moved])).toEqual([written]);
  });

  it("lets the last of two patches of a key win, and answers both", async () => {
    const { url, query } = await postgres();
    await query(`create table scores (id numeric primary key, fit text);
      insert into scores values (2, 'old')`);
    // "1" and "1.0" are one key only for the column's type.
    const page = [patch("1", "a"), patch("2", "x"), patch("1.0", "b"), patch("2", "old")];
    expect(await write(url, page)).toEqual([written, unchanged, written, unchanged]);
    expect(await query("select fit from scores order by id")).toEqual([
      { fit: "b" },
      { fit: "old" },
    ]);
    expect(await write(url, page)).toEqual(page.map(() => unchanged));
  });

  it("compares keys by the collation of their column", async () => {
    const { url, query } = await postgres();
    await query(`
      create collation anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
      create table scores (id text collate anycase primary key, fit int)`);
    expect(await write(url, [patch("ACME", 1), patch("acme", 2)])).toEqual([written, written]);
    expect(await write(url, [patch("Acme", 2)])).toEqual([unchanged]);
    expect(await query("select * from scores")).toEqual([{ id: "acme", fit: 2 }]);
  });

  it("finds rows by several columns, and writes those without further columns", async () => {
    const { url, query } = await postgres();
    await query("create table scores (url text, event text, n int, unique (event, url))");
    const key = { url: "https://a.example", event: "opened" };
    expect(await write(url, [{ key, set: {} }])).toEqual([written]);
    expect(await write(url, [{ key, set: {} }])).toEqual([unchanged]);
    expect(await write(url, [{ key, set: { n: 1 } }])).toEqual([written]);
    const other = { ...key, event: "closed" };
    expect(await write(url, [{ key: other, set: {} }], { insert: false })).toEqual([missing]);
    expect(await query("select * from scores")).toEqual([{ ...key, n: 1 }]);
  });

  it("waits for a session that makes the same row, and goes by what it made", async () => {
    const { url, query, admin } = await postgres();
    await query("create table scores (id text primary key, fit int)");
    for (const [fit, answer] of [
      [1, unchanged],
      [2, written],
    ] as const) {
      await query("truncate scores");
      await admin.query("begin");
      await admin.query("insert into scores values ('a', 1)");
      const answers = write(url, [patch("a", fit)]);
      await until(async () => {
        const waiting = await query("select from pg_locks where not granted");
        return waiting.length > 0;
      });
      await admin.query("commit");
      expect(await answers).toEqual([answer]);
      expect(await query("select fit from scores")).toEqual([{ fit }]);
    }
  });

  it("does not wait for ever for a row that someone holds", async () => {
    const { url, query, admin } = await postgres();
    await query(
      "create table scores (id text primary key, fit int); insert into scores values ('a', 1)",
    );
    await admin.query("begin; update scores set fit = 2");
    const began = performance.now();
    await expect(write(url, [patch("a", 3)])).rejects.toThrow(RetryLater);
    expect(performance.now() - began).toBeGreaterThan(rowLockWaitMs - 1_000);
    await admin.query("rollback");
    expect(await write(url, [patch("a", 3)])).toEqual([written]);
  });

  it("takes any name for a name (T4)", async () => {
    const { url, query } = await postgres();
    await query('create table scores (id int); create schema "My.Schema"');
    const names = ['Mixed "Case"', "x; drop table scores;--", "$1", "%I", "a\\b", "é😀", "ordinal"];
    for (const name of [...names, "k0", "s0", "t", "wanted", "done", "constructor", "__proto__"]) {
      const quoted = `"${name.replaceAll('"', '""')}"`;
      await query(`create table "My.Schema".${quoted} (${quoted} text primary key, fit int)`);
      const table = `"My.Schema".${quoted}`;
      const page = [{ key: Object.fromEntries([[name, "a"]]), set: { fit: 1 } }];
      expect(await write(url, page, { table })).toEqual([written]);
      expect(await write(url, page, { table })).toEqual([unchanged]);
    }
    expect(await query("select * from scores")).toEqual([]);
  });

  it("needs no right on any other table or column (P15)", async () => {
    const db = await postgres();
    await db.query(`create table scores (id text primary key, fit int, salary int);
      insert into scores values ('a', 1, 100)`);
    const { url } = await roleOf(
      db,
      (role) => `grant select (id, fit), insert (id, fit), update (fit) on scores to ${role}`,
    );
    expect(await write(url, [patch("a", 2), patch("b", 3)])).toEqual([written, written]);
    const more = write(url, [{ key: { id: "a" }, set: { salary: 1 } }]);
    await expect(more).rejects.toThrow(ConfigError);
    expect(await db.query("select * from scores order by id")).toEqual([
      { id: "a", fit: 2, salary: 100 },
      { id: "b", fit: 3, salary: null },
    ]);
  });

  it("refuses a table that is not named, is not there, or lacks a column", async () => {
    const { url, query } = await postgres();
    await query("create table scores (id text primary key, score int)");
    const page = [patch("a", 1)];
    await expect(write(url, page, { table: undefined })).rejects.toMatchObject({ field: "table" });
    await expect(write(url, page, { table: "none" })).rejects.toMatchObject({
      message: "there is no table none to write to",
      hint: "`sluice pull <name> --ddl` prints the statement that makes it.",
    });
    await expect(write(url, page)).rejects.toMatchObject({
      message: "the table scores has no column fit",
      field: "set",
      hint: "Its columns are id, score.",
    });
    await expect(write(url, [])).resolves.toEqual([]);
  });

  it("refuses a key that nothing makes unique, with the statement that fixes it", async () => {
    const { url, query } = await postgres();
    await query(`create table scores (id text, fit int, "U" int);
      create index on scores (id);
      create unique index on scores (id, fit);
      create unique index on scores (id) where fit > 0;
      create unique index on scores (lower(id));
      alter table scores add constraint later unique (id) deferrable`);
    const refused: unknown = await write(url, [patch("a", 1)]).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect(refused).toMatchObject({
      message: "nothing makes id unique in scores, so a row could be written twice",
      hint: 'Run: create unique index on "scores" ("id");',
    });
    await query("alter table scores drop constraint later");
    await query('create unique index on "scores" ("id") include (fit)');
    expect(await write(url, [patch("a", 1)])).toEqual([written]);
  });
});

import { describe, expect, it } from "vitest";

import { getFromPostgres } from "../../../connectors/postgres/get.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { readRequestOf, columnIn, pagesOf } from "./support.ts";

describe("getFromPostgres", () => {
  it("reads rows by their places or keys, each once, and names those that are not there", async () => {
    const { query, url } = await postgres();
    await query(`create table t (id int primary key, name text);
      insert into t select n, 'name ' || n from generate_series(1, 5) n`);
    const names = ["public.t:3", "1", "public.t:3", "9", "public.t:no number", "99999999999", ""];
    const got = await getFromPostgres({ ...readRequestOf(url, { table: "t" }), names });
    expect(new Set(columnIn([got], "name"))).toEqual(new Set(["name 1", "name 3"]));
    expect(new Set(got.rows.map((_, index) => got.where(index)))).toEqual(
      new Set(["public.t:1", "public.t:3"]),
    );
    expect(got.missing).toEqual(["9", "public.t:no number", "99999999999", ""]);
  });

  it("knows a key by its value and not by how it is written", async () => {
    const { query, url } = await postgres();
    await query("create table t (id numeric primary key); insert into t values (7.50)");
    const got = await getFromPostgres({ ...readRequestOf(url, { table: "t" }), names: ["7.5"] });
    expect(got).toMatchObject({ rows: [{ id: "7.50" }], missing: [] });
  });

  it("calls a row what it was asked for, however its key is written now", async () => {
    const { query, url } = await postgres();
    await query("create table t (id numeric primary key); insert into t values (7.50)");
    const got = await getFromPostgres({
      ...readRequestOf(url, { table: "t" }),
      names: ["public.t:7.5"],
    });
    expect(got.where(0)).toBe("public.t:7.5");
  });

  it("finds every row by the place that its page gave it", async () => {
    const { query, url } = await postgres();
    await query(`create table t (a text, b text, primary key (a, b)); insert into t
      select a, b from unnest(array['', 'x', ',', '\\', '\\,', 'a:b']) a, unnest(array['', ',', '\\', 'é']) b`);
    const ask = readRequestOf(url, { table: "t" });
    const pages = await pagesOf(ask);
    const names = pages.flatMap((page) => page.rows.map((_, index) => page.where(index)));
    const got = await getFromPostgres({ ...ask, names });
    expect(got.missing).toEqual([]);
    expect(new Set(got.rows.map((_, index) => got.where(index)))).toEqual(new Set(names));
    expect(names).toHaveLength(24);
    const { missing } = await getFromPostgres({ ...ask, names: ["x", "x,y,z"] });
    expect(missing).toEqual(["x", "x,y,z"]);
  });

  it("finds rows by keys that are arrays or rows themselves", async () => {
    const { query, url } = await postgres();
    await query(`create type pair as (a int, b text);
      create table lists (id int[] primary key); insert into lists values ('{1,2}'), ('{3,null}'), ('{{4,5}}');
      create table pairs (id pair primary key); insert into pairs values ((1, 'x,y')), ((2, null))`);
    for (const table of ["lists", "pairs"]) {
      const ask = readRequestOf(url, { table });
      const pages = await pagesOf(ask);
      const places = pages.flatMap((page) => page.rows.map((_, index) => page.where(index)));
      const { missing, rows } = await getFromPostgres({ ...ask, names: [...places, "no such"] });
      expect([rows.length, missing]).toEqual([places.length, ["no such"]]);
    }
  });

  it("finds no row by what a key's type calls a mistake in its text", async () => {
    const { query, url } = await postgres();
    await query(`create table t (id tsvector primary key); insert into t values ('a:1')`);
    const names = ["'a':1", "'"];
    const { missing, rows } = await getFromPostgres({
      ...readRequestOf(url, { table: "t" }),
      names,
    });
    expect([rows.length, missing]).toEqual([1, ["'"]]);
  });

  it("reads a query by its key", async () => {
    const { url } = await postgres();
    const ask = readRequestOf(url, {
      query: "select n, n * n as square from generate_series(1, 9) n",
      key: ["n"],
    });
    const got = await getFromPostgres({ ...ask, names: ["query:4"] });
    expect(columnIn([got], "square")).toEqual(["16"]);
  });

  it("finds in a span no row by the value that another column had then", async () => {
    const { query, url } = await postgres();
    await query(`create table t (id int primary key, no int unique not null, at int not null);
      insert into t values (1, 2, 1), (2, 1, 1)`);
    const members = { table: "t", changed_by: { column: "at", overlap: 0 }, key: ["id"] };
    const ask = readRequestOf(url, members);
    const to = (await pagesOf(ask)).at(-1)?.position;
    const names = ["public.t:1"];
    expect(columnIn([await getFromPostgres({ ...ask, names, to })], "id")).toEqual(["1"]);
    const byNo = { ...readRequestOf(url, { ...members, key: ["no"] }), names };
    await expect(getFromPostgres({ ...byNo, to })).rejects.toThrow(
      "public.t is read by another key than then",
    );
    expect(columnIn([await getFromPostgres(byNo)], "id")).toEqual(["2"]);
  });

  it("finds in a span the rows of a query that was mended, or of another change column", async () => {
    const { query, url } = await postgres();
    await query(
      "create table t (id int primary key, at int not null); insert into t values (1, 1)",
    );
    const by = (column: string, text: string): ReturnType<typeof readRequestOf> =>
      readRequestOf(url, { query: text, key: ["id"], changed_by: { column, overlap: 0 } });
    const to = (await pagesOf(by("at", "select id, at from t"))).at(-1)?.position;
    const mended = by("id", "select id, at + 1 as at from t");
    const got = await getFromPostgres({ ...mended, names: ["query:1"], to });
    expect(columnIn([got], "at")).toEqual(["2"]);
  });
});

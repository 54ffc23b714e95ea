import { describe, expect, it } from "vitest";

import { countedRowsMax } from "../../../connectors/postgres/limits.ts";
import { measurePostgres, splitPostgres } from "../../../connectors/postgres/measure.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { readRequestOf, columnIn, pagesOf } from "./support.ts";

describe("measurePostgres", () => {
  it("counts the rows of a span", async () => {
    const { query, url } = await postgres();
    await query(
      "create table t (id int primary key); insert into t select generate_series(1, 100)",
    );
    const ask = readRequestOf(url, { table: "t" });
    expect(await measurePostgres(ask)).toEqual({ rows: 100, exact: true });
    const span = { from: { key: ["10"] }, to: { key: ["15"] } };
    expect(await measurePostgres({ ...ask, ...span })).toEqual({ rows: 5, exact: true });
  });

  it.each([
    [countedRowsMax, true],
    [countedRowsMax + 1, false],
  ])("says of %i rows that it counted them: %s", async (count, exact) => {
    const { url } = await postgres();
    const ask = readRequestOf(url, {
      query: `select n from generate_series(1, ${count}) n`,
      key: ["n"],
    });
    expect(await measurePostgres(ask)).toEqual({ rows: count, exact });
  });
});

describe("splitPostgres", () => {
  it.each([
    { parts: 1, sizes: [100] },
    { parts: 3, sizes: [34, 33, 33] },
    { parts: 100, sizes: Array<number>(100).fill(1) },
    { parts: 101, sizes: Array<number>(100).fill(1) },
  ])("cuts 100 rows into $parts parts that share their edges", async ({ parts, sizes }) => {
    const { query, url } = await postgres();
    await query(`create table t (id int primary key, at timestamptz not null);
      insert into t select n, timestamptz '2024-03-10' + (n / 7) * interval '1 second'
      from generate_series(1, 100) n`);
    const ask = readRequestOf(url, { table: "t", changed_by: { column: "at" } });
    const spans = await splitPostgres({ ...ask, parts });
    const ids: (readonly unknown[])[] = [];
    for (const span of spans) ids.push(columnIn(await pagesOf(ask, span), "id"));
    expect(ids.map((ofPart) => ofPart.length)).toEqual(sizes);
    expect(ids.flat()).toEqual(columnIn(await pagesOf(ask), "id"));
  });

  it("cuts a table whose change column is its key", async () => {
    const { query, url } = await postgres();
    await query("create table t (id int primary key); insert into t select generate_series(1, 10)");
    const ask = readRequestOf(url, { table: "t", changed_by: { column: "id" } });
    const spans = await splitPostgres({ ...ask, parts: 2 });
    const ids: (readonly unknown[])[] = [];
    for (const span of spans) ids.push(columnIn(await pagesOf(ask, span), "id"));
    expect(ids).toEqual([
      ["1", "2", "3", "4", "5"],
      ["6", "7", "8", "9", "10"],
    ]);
  });

  it("keeps the edges of the span, and leaves an empty one whole", async () => {
    const { query, url } = await postgres();
    await query("create table t (id int primary key); insert into t select generate_series(1, 10)");
    const ask = readRequestOf(url, { table: "t" });
    const [from, to] = [{ key: ["2"] }, { key: ["8"] }];
    expect(await splitPostgres({ ...ask, from, to, parts: 2 })).toEqual([
      { from, to: { key: ["5"] } },
      { from: { key: ["5"] }, to },
    ]);
    const empty = { from: to, to };
    expect(await splitPostgres({ ...ask, ...empty, parts: 2 })).toEqual([empty]);
  });
});

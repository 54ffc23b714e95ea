import * as fc from "fast-check";
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

  it("gives each row to one part, in the order of the whole, whatever the types, ties and edges", async () => {
    const { query, url } = await postgres();
    // A value of the type for a number from 0 to 9: few values, so that rows of several parts change at the same time.
    const changes = {
      integer: "n - 5",
      numeric: "(n - 5) / 3.0",
      date: "date '2024-03-29' + n",
      timestamp: "timestamp '2024-03-31 01:30' + n * interval '7 minutes 0.000001 second'",
      timestamptz: "timestamptz '2024-10-27 00:30+00' + n * interval '11 minutes'",
    };
    // A value for a number that no other row has.
    const keys = {
      bigint: "(k - 20) * 9007199254740993",
      text: "chr(65 + k % 50) || k",
      'text collate "C"': "chr(90 - k % 50) || 'é' || k",
      uuid: "md5(k::text)::uuid",
      numeric: "trim_scale((k - 20) / 7.0)",
    };
    const shape = fc.record({
      change: fc.constantFrom(...Object.entries(changes)),
      key: fc.constantFrom(...Object.entries(keys)),
      rows: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 50 }),
      parts: fc.integer({ min: 1, max: 16 }),
      edges: fc.tuple(fc.nat(50), fc.nat(50)),
      isFollowed: fc.boolean(),
      zone: fc.constantFrom("UTC", "Europe/Berlin", "America/St_Johns"),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ change, key, rows, parts, edges, isFollowed, zone }) => {
        const values = rows.map((n, k) => `(${n}, ${k})`).join(", ");
        const all = rows.length === 0 ? "select 0 n, 0 k limit 0" : `values ${values}`;
        await query(`drop table if exists t;
          create table t (at ${change[0]} not null, id ${key[0]} primary key);
          insert into t select ${change[1]}, ${key[1]} from (${all}) as r (n, k)`);
        const by = { changed_by: { column: "at" }, time_zone: zone };
        const ask = readRequestOf(url, { table: "t", ...(isFollowed ? by : {}) });
        const whole = await pagesOf(ask, { pageRowsMax: 1 });
        // Like a read's position: between two of its pages.
        const [first, last] = edges.map((at) => whole.at(at % (whole.length + 1))?.position);
        const spans = await splitPostgres({ ...ask, from: first, to: last, parts });
        const ids: unknown[] = [];
        for (const span of spans) ids.push(...columnIn(await pagesOf(ask, span), "id"));
        expect(ids).toEqual(columnIn(await pagesOf(ask, { from: first, to: last }), "id"));
        expect(spans.length).toBeLessThanOrEqual(parts);
      }),
      { numRuns: 60, endOnFailure: true },
    );
  }, 300_000);
});

import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { createContext, runInContext } from "node:vm";

import { expect, it } from "vitest";

import { readPostgres } from "../../../connectors/postgres/read.ts";
import { RawRows } from "../../../connectors/postgres/rows/raw-rows.ts";
import type { Cells } from "../../../src/records/cells.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { numbers } from "../../support/sequences.ts";
import { type PostgresPage, readRequestOf } from "./support.ts";

it("keeps the cells of a page while others use memory that was given back", async () => {
  const { url, query } = await postgres();
  const texts = numbers(60).map((index) => `${index} `.repeat((index * index) % 900));
  const rows = texts.map((text, index) => `(${index}, '${text}')`);
  await query("create table t (n int primary key, value text)");
  await query(`insert into t values ${rows.join(", ")}`);
  const held: Cells[] = [];
  const read: string[] = [];
  const asked = { ...readRequestOf(url, { table: "t" }), pageRowsMax: 4 };
  for await (const { cells } of readPostgres(asked)) {
    if (cells !== undefined) held.push(cells);
    // As with pages whose keys are judged while others are read.
    const oldest = held.length > 2 ? held.shift() : undefined;
    for (let row = 0; row < (oldest?.count ?? 0); row += 1) {
      // The last of two columns.
      const [from, to] = [oldest?.starts[2 * row + 1], oldest?.ends[2 * row + 1]];
      read.push(oldest?.bytes.toString("utf8", from, to) ?? "");
    }
    oldest?.release?.();
  }
  expect(read).toEqual(texts.slice(0, read.length));
  expect(read.length).toBeGreaterThan(50);
});

it("keeps the rows of a block until all of its pages were given back", async () => {
  const { url, query } = await postgres();
  await query(`create table t (n int primary key, value text);
    insert into t select n, 'value ' || n from generate_series(1, 25000) n`);
  const held: PostgresPage[] = [];
  const read: unknown[] = [];
  const giveOldestBack = (): void => {
    const [oldest] = held.splice(0, 1);
    // The last row, which is made on demand, and its place.
    const last = (oldest?.cells?.count ?? 0) - 1;
    read.push([oldest?.cells?.row(last), oldest?.where(last)]);
    oldest?.cells?.release?.();
  };
  const ask = { ...readRequestOf(url, { table: "t" }), pageRowsMax: 2_500 };
  for await (const page of readPostgres(ask)) {
    held.push(page);
    if (held.length > 3) giveOldestBack();
  }
  while (held.length > 0) giveOldestBack();
  const ends = numbers(10).map((page) => (page + 1) * 2_500);
  expect(read).toEqual(ends.map((n) => [{ n: `${n}`, value: `value ${n}` }, `public.t:${n}`]));
});

it("holds no more than half again of a block that grew", async () => {
  setFlagsFromString("--expose-gc");
  // Only contexts made after the flag was set have the function.
  const context = createContext({});
  const held = async (): Promise<number> => {
    for (const _ of numbers(2)) {
      runInContext("gc()", context);
      await turn();
    }
    return process.memoryUsage().arrayBuffers;
  };
  const before = await held();
  const rows = new RawRows();
  const row = Buffer.alloc(16_000);
  for (const _ of numbers(1_000)) {
    rows.begin(0);
    rows.take(row, 0, row.length);
  }
  expect((await held()) - before).toBeLessThan(1.6 * rows.length);
});

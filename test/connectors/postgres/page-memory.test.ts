import { expect, it } from "vitest";

import { readPostgres } from "../../../connectors/postgres/read.ts";
import type { Cells } from "../../../src/records/cells.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { numbers } from "../../support/sequences.ts";
import { readRequestOf } from "./support.ts";

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
    // As pages do whose keys are judged while others are read.
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

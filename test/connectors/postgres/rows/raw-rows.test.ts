import { expect, it } from "vitest";

import { withSession } from "../../../../connectors/postgres/client.ts";
import { readPostgres } from "../../../../connectors/postgres/read.ts";
import { postgres } from "../../../support/postgres/postgres.ts";
import { numbers } from "../../../support/sequences.ts";
import { columnIn, readRequestOf } from "../support.ts";

it("rows that are larger than those before them are not all held at once, and none is lost", async () => {
  const { query, url } = await postgres();
  await query(`create table t (id int primary key, size int);
    insert into t select n, case when n > 5500 then 50000 else 1 end from generate_series(1, 7500) n;
    create view v as select id, repeat('x', size) as body from t`);
  const ask = readRequestOf(url, { table: "v", key: ["id"] });
  const sql = "select * from v order by id";
  const block = await withSession(ask, async (at) => await at.block({ sql, values: [] }));
  expect(block.isWhole).toBe(false);
  expect(block.rows.bytes.length).toBeLessThan(48 * 1024 * 1024);
  const ids: unknown[] = [];
  for await (const page of readPostgres({ ...ask, pageRowsMax: 1_000 })) {
    ids.push(...columnIn([page], "id"));
    page.cells?.release?.();
  }
  expect(ids).toEqual(numbers(7_500).map((number) => String(number + 1)));
});

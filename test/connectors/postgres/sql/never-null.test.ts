import { describe, expect, it } from "vitest";

import { discoverPostgres } from "../../../../connectors/postgres/discover.ts";
import { ownPostgres } from "../../../support/postgres/postgres.ts";
import { columnIn, pagesOf, readRequestOf } from "../support.ts";

/** The catalogue as Postgres 18 leaves it after `add constraint … not null … not valid`, in a server that is older. */
const notValid = `set allow_system_table_mods = on;
  update pg_attribute set attnotnull = true where attrelid = 't'::regclass and attname in ('code', 'at');
  update pg_constraint set contype = 'n', conbin = null where conrelid = 't'::regclass and contype = 'c';
  update pg_class set relchecks = 0 where oid = 't'::regclass`;

describe("a column that is not null only for rows to come", () => {
  it("is refused in the order of rows, and proposed for none, until the rest was looked at", async () => {
    const { query, url } = await ownPostgres();
    await query(`create table t (id int primary key, code int, at timestamptz, updated_at timestamptz not null);
      create unique index on t (code);
      insert into t values (1, 1, null, now()), (2, null, now(), now());
      alter table t add constraint coded check (code is not null) not valid;
      alter table t add constraint stamped check (at is not null) not valid`);
    await query(notValid);
    const byAt = readRequestOf(url, { table: "t", changed_by: { column: "at" } });
    const byCode = readRequestOf(url, { table: "t", key: ["code"] });
    await expect(pagesOf(byAt)).rejects.toThrow("at may be null");
    await expect(pagesOf(byCode)).rejects.toThrow("code may be null");
    const nullable = async (): Promise<unknown> => {
      const [found] = await discoverPostgres({ ...readRequestOf(url), max: 1 });
      return found?.columns.filter(({ isNullable }) => isNullable).map(({ name }) => name);
    };
    expect(await nullable()).toEqual(["code", "at"]);
    await query(`delete from t where id = 2; update t set at = now();
      set allow_system_table_mods = on; update pg_constraint set convalidated = true where contype = 'n'`);
    expect(columnIn(await pagesOf(byAt), "id")).toEqual(["1"]);
    expect(columnIn(await pagesOf(byCode), "id")).toEqual(["1"]);
    expect(await nullable()).toEqual([]);
  });

  it("is in no key that is proposed", async () => {
    const { query, url } = await ownPostgres();
    await query(`create table t (code int, at int);
      create unique index on t (code);
      alter table t add constraint coded check (code is not null) not valid`);
    const keyOf = async (): Promise<unknown> =>
      (await discoverPostgres({ ...readRequestOf(url), max: 1 }))[0]?.key;
    await query(notValid);
    expect(await keyOf()).toEqual([]);
    await query("update pg_constraint set convalidated = true where contype = 'n'");
    expect(await keyOf()).toEqual(["code"]);
  });
});

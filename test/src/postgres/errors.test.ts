import { describe, expect, it } from "vitest";

import { withSession } from "../../../connectors/postgres/client.ts";
import { ConfigError } from "../../../src/errors.ts";
import { roleOf } from "../../connectors/postgres/role.ts";
import { readRequestOf } from "../../connectors/postgres/support.ts";
import { postgres } from "../../support/postgres/postgres.ts";

describe("postgresError", () => {
  it.each([
    ["select 1/0", /names the value\..*state reset/],
    ["selct 1", /with psql/],
    ["select '1'::json order by 1", /cast it/],
    ["do $$ begin raise sqlstate '53100'; end $$", /Make room on the disk of the server/],
  ])("says what to do about %s", async (sql, hint) => {
    const { url } = await postgres();
    const asked = withSession(readRequestOf(url), async (session) => await session.query(sql));
    await expect(asked).rejects.toMatchObject({
      hint: expect.stringMatching(hint) as unknown,
    });
  });

  it("does not wait where a role may sort no more", async () => {
    const db = await postgres();
    await db.query(
      "create table t as select n, repeat('x', 99) from generate_series(1, 5000) as n",
    );
    const { url } = await roleOf(
      db,
      (name) =>
        `grant select on t to ${name}; alter role ${name} set temp_file_limit = 64;
         alter role ${name} set work_mem = 64`,
    );
    const sorting = withSession(
      readRequestOf(url),
      async (session) => await session.query("select * from t order by n"),
    );
    await expect(sorting).rejects.toThrow(ConfigError);
    await expect(sorting).rejects.toMatchObject({
      hint: expect.stringContaining("temp_file_limit for the role") as unknown,
    });
  });

  it("says what to do of a statement that took too long, where it reads and where it writes", async () => {
    const { url } = await postgres();
    const slow = async (isWritable: boolean): Promise<unknown> => {
      const request = { ...readRequestOf(url, { statement_timeout: "1s" }), isWritable };
      return await withSession(
        request,
        async (session) => await session.query("select pg_sleep(9)"),
      );
    };
    await expect(slow(false)).rejects.toMatchObject({
      hint: expect.stringMatching(/^Index the change column/) as unknown,
    });
    await expect(slow(true)).rejects.toMatchObject({
      hint: expect.stringMatching(/^Look for a slow trigger/) as unknown,
    });
  });

  it("waits for a standby that is to be written to, and not for a query that writes", async () => {
    const { url } = await postgres();
    const refused = async (isWritable: boolean): Promise<unknown> =>
      await withSession(
        { ...readRequestOf(url), isWritable },
        async (session) => await session.query("do $$ begin raise sqlstate '25006'; end $$"),
      ).catch((error: unknown) => error);
    expect(await refused(true)).toMatchObject({ code: "ConfigError", retryBudgetMs: 600_000 });
    expect(await refused(false)).toMatchObject({ code: "ConfigError", retryBudgetMs: undefined });
  });

  it("names the setting where a role has no row hidden from it", async () => {
    const db = await postgres();
    await db.query("create table t (id int primary key); alter table t enable row level security");
    const { url } = await roleOf(
      db,
      (name) => `grant select on t to ${name}; alter role ${name} set row_security = off`,
    );
    const ask = readRequestOf(url, { table: "t" });
    const asked = withSession(ask, async (session) => await session.query("select from t"));
    await expect(asked).rejects.toMatchObject({
      hint: expect.stringContaining("row_security off") as unknown,
    });
  });
});

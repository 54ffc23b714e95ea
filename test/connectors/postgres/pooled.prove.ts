import { describe, expect, it } from "vitest";

import { withSession } from "../../../connectors/postgres/client.ts";
import { ConfigError } from "../../../src/errors.ts";
import { byPgBouncer } from "../../support/postgres/pgbouncer.ts";
import { runSql } from "../../support/postgres/postgres-cluster.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { readRequestOf } from "./support.ts";

/** Queries a server in a session of its own. */
async function ask(url: string): Promise<unknown> {
  return await withSession(readRequestOf(url), async (session) => await session.query("select 1"));
}

describe("a session behind PgBouncer", () => {
  it("is refused in transaction mode, where others would have its settings, and gives them back", async () => {
    const { query, url } = await postgres();
    await query("create table t (id int)");
    const way = await byPgBouncer(url);
    await ask(way);
    for (const id of [1, 2]) {
      const refused = ask(way);
      await expect(refused).rejects.toThrow(ConfigError);
      await expect(refused).rejects.toThrow("a pooler in transaction mode");
      await runSql(way, `insert into t values (${id})`);
    }
    expect(await query("select count(*)::int as rows from t")).toEqual([{ rows: 2 }]);
  });

  it("is as any other in session mode", async () => {
    const way = await byPgBouncer((await postgres()).url, "session");
    for (const _ of [1, 2, 3]) expect(await ask(way)).toHaveLength(1);
  });
});

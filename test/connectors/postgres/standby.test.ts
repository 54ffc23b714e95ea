import { expect, it, onTestFinished } from "vitest";

import { readLimitOfPostgres } from "../../../connectors/postgres/read-limit.ts";
import { PostgresCluster, runSql } from "../../support/postgres/postgres-cluster.ts";
import { until } from "../../support/process/process.ts";
import { columnIn, pagesOf, readRequestOf } from "./support.ts";

it.each(["timestamptz", "timestamptz(0)", "timestamp"])(
  "a standby of a quiet primary counts the rows of %s that wait for its next transaction",
  async (type) => {
    const primary = await PostgresCluster.start();
    onTestFinished(async () => await primary.remove());
    const standby = await primary.standby();
    onTestFinished(async () => await standby.remove());
    // A clock that is fast stamped the second row; after it, the primary does nothing.
    await runSql(
      primary.url,
      `create table t (id int primary key, at ${type} not null);
       insert into t values (1, now() - interval '1 hour'), (2, now() + interval '2 seconds')`,
    );
    const countThere = async (): Promise<unknown> =>
      (await runSql(standby.url, "select count(*) from t where at < now()"))[0]?.["count"];
    await until(async () => (await countThere().catch(() => undefined)) === "2");
    const ask = readRequestOf(standby.url, { table: "t", changed_by: { column: "at" } });
    const { to, future } = await readLimitOfPostgres(ask);
    expect(columnIn(await pagesOf(ask, { to }), "id")).toEqual(["1"]);
    expect(future).toBe(1);
  },
);

import { describe, expect, it, onTestFinished } from "vitest";

import type { Patch, Written } from "../../../connectors/contract/connector.ts";
import { hangUpCheckMs } from "../../../connectors/postgres/limits.ts";
import { writePostgres } from "../../../connectors/postgres/write.ts";
import { RetryLater } from "../../../src/errors.ts";
import { postgres, type TestDatabase } from "../../support/postgres/postgres.ts";
import { until } from "../../support/process/process.ts";
import { readRequestOf } from "./support.ts";

const page = ["a", "b"].map((id): Patch => ({ key: { id }, set: { fit: 2 } }));
const written: readonly Written[] = [{ done: "written" }, { done: "written" }];

/** A table whose row `b` is locked by the admin session, and a page that is being written to it. */
async function held(): Promise<
  TestDatabase & {
    readonly stopping: AbortController;
    readonly writing: Promise<readonly Written[]>;
    readonly again: () => Promise<readonly Written[]>;
  }
> {
  const db = await postgres();
  await db.query(`create table scores (id text primary key, fit int);
    insert into scores values ('a', 1), ('b', 1)`);
  await db.admin.query("begin; select from scores where id = 'b' for update");
  const stopping = new AbortController();
  const ask = readRequestOf(db.url, { table: "scores" });
  const writing = writePostgres({ ...ask, signal: stopping.signal, patches: page });
  // It may fail before the test awaits it, while a statement of the test is still running.
  const settled = Promise.allSettled([writing]);
  onTestFinished(async () => void (await settled));
  await until(async () => (await waiting(db)).length > 0);
  return { ...db, stopping, writing, again: () => writePostgres({ ...ask, patches: page }) };
}

/** The processes that wait for the row. */
async function waiting({ query }: TestDatabase): Promise<readonly unknown[]> {
  return await query(
    "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
}

/** Expects that nothing was written, and that everything is written once the row is free. */
async function expectWhole(db: Awaited<ReturnType<typeof held>>): Promise<void> {
  await db.admin.query("rollback");
  const rows = "select * from scores order by id";
  expect(await db.query(rows)).toEqual([
    { id: "a", fit: 1 },
    { id: "b", fit: 1 },
  ]);
  expect(await db.again()).toEqual(written);
}

describe("writePostgres, interrupted", () => {
  it("is worth another try when its connection is lost, and wrote nothing or all", async () => {
    const db = await held();
    await db.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() " +
        "and wait_event_type = 'Lock'",
    );
    await expect(db.writing).rejects.toThrow(RetryLater);
    await expectWhole(db);
  });

  it("ends with its run, and so does its statement", async () => {
    const db = await held();
    db.stopping.abort(new Error("cancelled"));
    const began = performance.now();
    await expect(db.writing).rejects.toThrow("cancelled");
    expect(performance.now() - began).toBeLessThan(hangUpCheckMs + 6_000);
    await until(async () => (await waiting(db)).length === 0);
    await expectWhole(db);
  });
});

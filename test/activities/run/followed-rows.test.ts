import { setTimeout as wait } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { postgres, type TestDatabase } from "../../support/postgres/postgres.ts";
import { Harness, harnessHead } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";

const timeoutMs = 120_000;

function yamlOf(url: string, name: string): string {
  return `${harnessHead}connections:
  crm: { connector: postgres, url: "${url}" }
syncs:
  accounts:
    from: { connection: crm, table: companies, changed_by: { column: updated_at } }
    stream: account
    send: all
    record: { account_id: id, domain: domain, account_properties: { ${name}: name } }
`;
}

/**
 * Nights over a table in which 10 rows, "new1" to "new10", changed half an hour ago, and 3,000, "old1" to "old3000",
 * two hours ago.
 */
class Nights {
  readonly database: TestDatabase;
  harness: Harness;
  #count = 0;

  private constructor(database: TestDatabase, harness: Harness) {
    this.database = database;
    this.harness = harness;
  }

  static async begin(): Promise<Nights> {
    const database = await postgres();
    await database.query(
      `create table companies (id text primary key, domain text, name text, updated_at timestamptz not null);
       insert into companies select 'new' || n, 'a.example', 'A', now() - interval '30 minutes' from
       generate_series(1, 10) n;
       insert into companies select 'old' || n, 'a.example', 'A', now() - interval '2 hours' from generate_series(1,
       3000) n`,
    );
    const harness = await Harness.open({ yaml: yamlOf(database.url, "name") });
    harness.clock.nowMs = Date.now();
    return new Nights(database, harness);
  }

  /** Opens the run of the next night. */
  async open(): Promise<TestRun> {
    this.#count += 1;
    return await TestRun.open(this.harness, { runId: `night-${this.#count}` });
  }

  /** What the next night sends and leaves out. */
  async next(): Promise<unknown> {
    const { counts, possibly_repeated: repeated } = await (await this.open()).transfer();
    return { sent: counts.sent, unchanged: counts.unchanged, repeated };
  }

  async mapAs(name: string): Promise<void> {
    this.harness = await this.harness.withYaml(yamlOf(this.database.url, name));
  }

  async isFollowed(...keys: readonly string[]): Promise<unknown> {
    const name = { target: this.harness.deps.target, sync: "accounts" };
    const known = await this.harness.state.knownRecords({ ...name, keys });
    return known.map(({ state }) => state === "accepted");
  }
}

/**
 * A table whose three rows came after a transaction began that is still open, and longer ago than the reach of a run's
 * own overlap.
 */
async function openedLong(): Promise<{
  readonly database: TestDatabase;
  readonly harness: Harness;
}> {
  const database = await postgres();
  await database.query(
    "create table companies (id text primary key, domain text, name text, updated_at timestamptz not null)",
  );
  await database.admin.query("begin; create table other (id int)");
  await database.query(
    "insert into companies select 'old' || n, 'a.example', 'A', now() from generate_series(1, 3) n",
  );
  await wait(2_000);
  const yaml = yamlOf(database.url, "name").replace("updated_at }", "updated_at, overlap: 1s }");
  const harness = await Harness.open({ yaml });
  harness.clock.nowMs = Date.now();
  return { database, harness };
}

const all = { sent: 3010, unchanged: 0, repeated: 0 };
const none = { sent: 0, unchanged: 10, repeated: 0 };

describe("`send: all` with a change column", { timeout: timeoutMs }, () => {
  it("sends no row twice because a run goes back over it", async () => {
    const nights = await Nights.begin();
    expect([await nights.next(), await nights.next(), await nights.next()]).toEqual([
      all,
      none,
      none,
    ]);
  });

  it("sends a row that is as it was under another stamp, and one that changed under its old stamp", async () => {
    const nights = await Nights.begin();
    await nights.next();
    await nights.database.query(
      `update companies set updated_at = updated_at + interval '1 second' where id = 'new1';
       update companies set name = 'B' where id = 'new2'`,
    );
    expect(await nights.next()).toEqual({ sent: 2, unchanged: 8, repeated: 0 });
    expect((await nights.harness.sandbox.names()).get("new2")).toBe("B");
    expect(await nights.next()).toEqual(none);
  });

  it("sends a row again whose outcome nobody knows, and one that came back to what it was", async () => {
    const nights = await Nights.begin();
    await nights.next();
    await nights.database.query("update companies set name = 'B' where id = 'new1'");
    const lost = await nights.open();
    await lost.send(await lost.stage());
    expect((await nights.harness.sandbox.names()).get("new1")).toBe("B");
    expect(await lost.close({ outcome: "failed" })).toMatchObject({ possibly_repeated: 1 });
    await nights.database.query("update companies set name = 'A' where id = 'new1'");
    expect(await nights.next()).toMatchObject({ sent: 1, unchanged: 9 });
    expect((await nights.harness.sandbox.names()).get("new1")).toBe("A");
  });

  it("sends by the new mapping what it goes back over", async () => {
    const nights = await Nights.begin();
    await nights.next();
    await nights.mapAs("title");
    expect(await nights.next()).toMatchObject({ sent: 10, unchanged: 0 });
    expect(await nights.next()).toEqual(none);
  });

  it("sends everything when everything is read again", async () => {
    const nights = await Nights.begin();
    await nights.next();
    const { state, target } = nights.harness.deps;
    const name = { target, sync: "accounts" };
    const { version } = await state.checkpoint(name);
    const at = new Date().toISOString();
    await state.setCheckpoint({ ...name, version, position: null, reason: "reset", at });
    expect(await nights.next()).toMatchObject({ sent: 3010, unchanged: 0 });
  });

  it("sends no row twice because a run goes back to where an old transaction began", async () => {
    const { database, harness } = await openedLong();
    const runs: unknown[] = [];
    for (const runId of ["first", "second", "third"]) {
      const { counts } = await (await TestRun.open(harness, { runId })).transfer();
      runs.push([counts.sent, counts.unchanged]);
    }
    expect(runs).toEqual([
      [3, 0],
      [0, 3],
      [0, 3],
    ]);
    await database.admin.query("commit");
  });

  it("follows no row of the first load that no run goes back over, and forgets those that are passed", async () => {
    const nights = await Nights.begin();
    await nights.next();
    expect(await nights.isFollowed("old1", "new1", "new2")).toEqual([false, true, true]);
    await nights.database.query(
      "update companies set updated_at = now() - interval '3 hours' where id = 'new1'",
    );
    await nights.next();
    expect(await nights.isFollowed("old1", "new1", "new2")).toEqual([false, false, true]);
  });
});

import { describe, expect, it } from "vitest";

import { ownPostgres } from "../../support/postgres/postgres.ts";
import { until } from "../../support/process/process.ts";
import { failureOf } from "../../support/project/harness.ts";
import { TestRun } from "../../support/project/test-run.ts";
import { nightlyYaml, Nightly, session } from "./nightly.ts";

const timeoutMs = 240_000;

/** Finds the connector at work in the middle of a block. */
const reading = `select 1 from pg_stat_activity
  where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and query like
  '%order by%limit%'`;

describe("a nightly sync of a Postgres table", () => {
  it(
    "sends of 5,000 rows exactly the 30 that changed in a mapped field",
    async () => {
      const nightly = await Nightly.open("6h", { hasThreads: true });
      await nightly.fill(5_000);
      expect((await nightly.night()).counts).toMatchObject({ read: 5_000, sent: 5_000 });
      await nightly.database.query(
        `update companies set name = name || '!', updated_at = now() where id % 100 = 0 and id <= 3000;
         update companies set internal = 'x', updated_at = now() where id % 100 = 7`,
      );
      const { counts, balanced } = await nightly.night();
      expect(counts.sent).toBe(30);
      expect(counts.read).toBeGreaterThan(4_000);
      expect(balanced).toBe(true);
      // Six hours of overlap are read again, and unchanged rows are not sent.
      expect((await nightly.night()).counts).toMatchObject({ sent: 0 });
    },
    timeoutMs,
  );

  it("goes back to it also after a run that was given up in its midst", async () => {
    const nightly = await Nightly.open("1ms", { hasThreads: true });
    const late = await session(nightly.database.url);
    await late.query("begin; insert into companies values (9999, 'late.example', 'Late', null)");
    await nightly.database.query(
      `insert into companies select n, 'c' || n || '.example', 'Company', null from generate_series(1, 1500) n`,
    );
    const cut = await nightly.begin();
    const first = await cut.stage();
    await cut.send(first);
    await cut.commit(first);
    await cut.stage(2);
    await cut.close({ outcome: "cancelled" });
    await late.query("commit");
    await nightly.night();
    expect(await nightly.harness.sandbox.records()).toHaveLength(1501);
  });

  it("finishes when the server is restarted in mid-read", async () => {
    const database = await ownPostgres();
    const nightly = await Nightly.open("6h", { on: database, hasThreads: true });
    const { harness } = nightly;
    await nightly.fill(800);
    // A block takes seconds, so that the server goes down while one is on its way.
    await database.query(
      `alter table companies rename to stored;
       create function slowly() returns boolean language sql volatile as 'select true from pg_sleep(0.003)';
       create view companies as select * from stored where slowly()`,
    );
    const sync = { table: "companies", key: "[id]", changed_by: "{ column: updated_at }" };
    const from = Object.entries(sync).map(([name, value]) => `${name}: ${value}`);
    const slow = await harness.withYaml(
      nightlyYaml(database.url, "6h").replace(
        /from: .*/,
        `from: { connection: crm, ${from.join(", ")} }`,
      ),
    );
    const run = await TestRun.open(slow);
    const failing = failureOf(run.stage());
    await until(async () => (await database.query(reading)).length > 0);
    await database.restart();
    expect((await failing).nonRetryable).not.toBe(true);
    const report = await run.transfer();
    expect(report).toMatchObject({ balanced: true, counts: { read: 800, sent: 800 } });
    expect(await slow.sandbox.records()).toHaveLength(800);
  });
});

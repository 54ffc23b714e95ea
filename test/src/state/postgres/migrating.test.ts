import { setTimeout as sleep } from "node:timers/promises";

import { Client, DatabaseError } from "pg";
import { expect, it, onTestFinished } from "vitest";

import { SluiceError } from "../../../../src/errors.ts";
import { quoteName } from "../../../../src/postgres/names.ts";
import { migrateStore, pendingStatements } from "../../../../src/state/postgres/migrate.ts";
import { storeSteps } from "../../../../src/state/postgres/schema.ts";
import type { StoreServer } from "../../../../src/state/postgres/server.ts";
import type { TestDatabase } from "../../../support/postgres/postgres.ts";
import { newServer, openMigrated, setInDatabase } from "./postgres-store.ts";

/** Queried on a connection of its own: a transaction would see only the sessions from before it began. */
const isWaiting =
  "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";

/** A store as the previous version made it. */
async function olderStore(): Promise<{
  readonly server: StoreServer;
  readonly test: TestDatabase;
  readonly name: string;
}> {
  const { test, ...server } = await newServer();
  const name = quoteName(server.schema);
  const statements = storeSteps.slice(0, -1).flat();
  for (const statement of [`create schema ${name}`, ...statements]) {
    await test.query(statement.replaceAll("$schema.", `${name}.`));
  }
  const version = storeSteps.length - 1;
  await test.query(
    `insert into ${name}.meta (name, value) values ('schema_version', '${version}')`,
  );
  return { server, test, name };
}

it("a migration is ended where its host is silent", async () => {
  const { server, test } = await olderStore();
  await setInDatabase(test, "idle_in_transaction_session_timeout", "0");
  await test.query(
    `create table told (value text not null);
     create function tell() returns event_trigger language plpgsql as $$ begin
       insert into public.told values (current_setting('idle_in_transaction_session_timeout')); end $$;
     create event trigger telling on ddl_command_end execute function tell()`,
  );
  await migrateStore(server);
  expect(await test.query("select distinct value from told")).toEqual([{ value: "1min" }]);
});

/** Records a beat of a worker of the older version, this long ago. */
async function beat(
  { test, name }: { readonly test: TestDatabase; readonly name: string },
  secondsAgo: number,
): Promise<void> {
  await test.query(
    `insert into ${name}.hosts (host_id, process, temporal_id, last_beat, version)
      values ('host-a', '77', 't', extract(epoch from clock_timestamp()) * 1000 - ${secondsAgo} * 1000, '0.0.9')
      on conflict (host_id, process) do update set last_beat = excluded.last_beat`,
  );
}

function versionOf(name: string): string {
  return `select value::integer as n from ${name}.meta where name = 'schema_version'`;
}

/** Runs statements as a person who received them would: as one text. */
async function runPrinted({ admin }: TestDatabase, statements: readonly string[]): Promise<void> {
  try {
    await admin.query(statements.map((statement) => `${statement};`).join("\n"));
  } catch (error) {
    await admin.query("rollback");
    throw error;
  }
}

async function waits({ query }: TestDatabase): Promise<void> {
  await expect.poll(async () => await query(isWaiting), { timeout: 30_000 }).toHaveLength(1);
}

it("a migration names the workers of the older version that live, and leaves the store as it is", async () => {
  const { server, test, name } = await olderStore();
  const version = versionOf(name);
  await beat({ test, name }, 50);
  const refused: unknown = await migrateStore(server).catch((error: unknown) => error);
  if (!(refused instanceof SluiceError)) throw new Error(`not refused: ${String(refused)}`);
  expect(refused).toMatchObject({ code: "Busy" });
  expect(refused.message).toMatch(/older version.* process 77 of sluice 0\.0\.9 on host host-a$/);
  expect(refused.hint).toContain("stop the workers first");
  expect(await test.query(version)).toEqual([{ n: storeSteps.length - 1 }]);
  await beat({ test, name }, 61);
  await expect(migrateStore(server)).resolves.toMatchObject({ to: storeSteps.length });
});

it("a migration is not held up by a worker heard of before the clock of the database was set back", async () => {
  const { server, test, name } = await olderStore();
  await beat({ test, name }, -7_200);
  await expect(migrateStore(server)).resolves.toMatchObject({ to: storeSteps.length });
});

it("a migration waits for what an older process has under way, however long a statement may take", async () => {
  const { server, test, name } = await olderStore();
  await setInDatabase(test, "statement_timeout", "1s");
  await test.admin.query("begin");
  await test.admin.query(`select value from ${name}.meta`);
  let isMigrated = false;
  const migrating = migrateStore(server).then(() => (isMigrated = true));
  await waits(test);
  await test.admin.query(`insert into ${name}.meta (name, value) values ('written', '1')`);
  expect(isMigrated).toBe(false);
  await sleep(1_100);
  await test.admin.query("commit");
  await migrating;
});

it("a transaction that waits for a migration finds the version of after, and writes nothing", async () => {
  const { state, server, test } = await openMigrated();
  const meta = `${quoteName(server.schema)}.meta`;
  // The first transaction of a store records its timeline, and is repeated.
  await state.write(async () => undefined);
  await test.admin.query("begin");
  await test.admin.query(`lock table ${meta} in access exclusive mode`);
  const writing = state
    .write(async (queries) => {
      await queries.insertInto("meta").values({ name: "written", value: "1" }).execute();
    })
    .catch((error: unknown) => error);
  await waits(test);
  await test.admin.query(`update ${meta} set value = '99' where name = 'schema_version'`);
  await test.admin.query("commit");
  expect(String(await writing)).toContain("has schema version 99");
  expect(await test.query(`select from ${meta} where name = 'written'`)).toEqual([]);
});

it("the statements that are printed bring an older store to this version, unless workers of it live", async () => {
  const { server, test, name } = await olderStore();
  const printed = await pendingStatements(server);
  await beat({ test, name }, 50);
  const refused: unknown = await runPrinted(test, printed).catch((error: unknown) => error);
  if (!(refused instanceof DatabaseError)) throw new Error(`not refused: ${String(refused)}`);
  expect(refused.message).toMatch(
    /older version, and workers of it live: process 77 of sluice 0\.0\.9 on host host-a$/,
  );
  expect(refused.hint).toContain("stop the workers first");
  expect(await test.query(versionOf(name))).toEqual([{ n: storeSteps.length - 1 }]);
  await beat({ test, name }, 61);
  await runPrinted(test, printed);
  expect(await pendingStatements(server)).toEqual([]);
  // If kept for later, they would make the earlier tables anew.
  await expect(runPrinted(test, printed)).rejects.toThrow(
    `is not of version ${storeSteps.length - 1} any more`,
  );
});

it("the statements that are printed make a store, and wait for what is under way in an older one", async () => {
  const { test: made, ...nothing } = await newServer();
  await runPrinted(made, await pendingStatements(nothing));
  expect(await made.query(versionOf(quoteName(nothing.schema)))).toEqual([
    { n: storeSteps.length },
  ]);
  const { server, test, name } = await olderStore();
  const printed = await pendingStatements(server);
  const other = new Client(server.url.reveal());
  await other.connect();
  onTestFinished(async () => await other.end());
  await other.query("begin");
  await other.query(`select value from ${name}.meta`);
  const running = runPrinted(test, printed);
  await waits(test);
  await other.query(`insert into ${name}.meta (name, value) values ('written', '1')`);
  await other.query("commit");
  await running;
  expect(await test.query(versionOf(name))).toEqual([{ n: storeSteps.length }]);
});

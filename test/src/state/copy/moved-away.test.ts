import { rename } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { describe, expect, it, onTestFinished } from "vitest";

import { ConfigError } from "../../../../src/errors.ts";
import { inboxMigrations } from "../../../../src/inbox/sqlite/migrations.ts";
import { quoteName } from "../../../../src/postgres/names.ts";
import type { CopyEnd } from "../../../../src/state/copy/copy-end.ts";
import { copyStore } from "../../../../src/state/copy/copy-store.ts";
import { marksOf } from "../../../../src/state/copy/marks.ts";
import { PostgresEnd } from "../../../../src/state/copy/postgres-end.ts";
import { SqliteEnd } from "../../../../src/state/copy/sqlite-end.ts";
import { openPostgresMethods } from "../../../../src/state/postgres/open-methods.ts";
import { openDatabase } from "../../../../src/state/sqlite/database.ts";
import { vanished } from "../../../../src/state/sqlite/migrations/migration-vanished.ts";
import { migrations } from "../../../../src/state/sqlite/migrations/migrations.ts";
import { runSql } from "../../../support/postgres/postgres-cluster.ts";
import { openStoreInline } from "../../../support/project/inline-threads.ts";
import { StoreUnderTest } from "../store-under-test.ts";
import { newFolder, newServer, sendRun } from "./support.ts";

/** Leaves both ends as a copy does that is killed before it fills its target. */
async function cutOff(from: CopyEnd, into: CopyEnd): Promise<void> {
  const marks = marksOf({ from, into }, { from: await from.facts(), into: await into.facts() });
  await from.prepare();
  await into.mark(marks.into);
  await from.mark(marks.from);
  await Promise.all([from.close(), into.close()]);
}

function columnsOf(db: DatabaseSync, from: string, table: string): readonly string[] {
  const rows = db.prepare("select name from pragma_table_info(?, ?)").all(table, from);
  return rows.map(({ name }) => String(name));
}

/** Puts files of an older sluice in place of a folder's, with the same facts and runs. */
async function makeOlder(stateFolder: string): Promise<void> {
  const olderSteps = migrations.slice(0, migrations.indexOf(vanished));
  for (const [file, steps, tables] of [
    ["state.db", olderSteps, ["meta", "runs"]],
    ["inbox.db", inboxMigrations.slice(0, -1), ["meta"]],
  ] as const) {
    const [now, older] = [join(stateFolder, file), join(stateFolder, `older ${file}`)];
    openDatabase(older, steps).close();
    const db = new DatabaseSync(older);
    db.prepare("attach ? as now").run(now);
    for (const table of tables) {
      const known = new Set(columnsOf(db, "now", table));
      const columns = columnsOf(db, "main", table).filter((column) => known.has(column));
      const names = columns.join(", ");
      db.exec(`insert or replace into main.${table} (${names}) select ${names} from now.${table}`);
    }
    db.close();
    await rename(older, now);
  }
}

describe("a copy of a store that moved away", () => {
  it("is made from a store that moved away into nothing but what it moved to", async () => {
    const stateFolder = await newFolder();
    const store = await openStoreInline(stateFolder);
    await sendRun(StoreUnderTest.of(stateFolder, store), "r1", { keys: ["a"] });
    await store.close();
    const server = await newServer();
    await copyStore({ stateFolder, server, to: "postgres" });
    await copyStore({ stateFolder, server, to: "sqlite" });
    // Another host's folder has the same path; this host's may be lost.
    for (const file of ["state.db", "inbox.db"])
      await rename(join(stateFolder, file), join(stateFolder, `lost ${file}`));
    const again = copyStore({ stateFolder, server, to: "sqlite" });
    await expect(again).rejects.toThrow(ConfigError);
    await expect(again).rejects.toThrow("was moved");
    await expect(openPostgresMethods(server)).rejects.toThrow("was moved");
    // A host that the project has left has it no more, either.
    const elsewhere = await newServer();
    for (const file of ["state.db", "inbox.db"])
      await rename(join(stateFolder, `lost ${file}`), join(stateFolder, file));
    await copyStore({ stateFolder, server: elsewhere, to: "postgres" });
    await expect(copyStore({ stateFolder, server, to: "sqlite" })).rejects.toThrow("was moved");
  });

  it("is not replaced by an empty folder of the path that it moved to, or by a schema of that name", async () => {
    const stateFolder = await newFolder();
    const store = await openStoreInline(stateFolder);
    await sendRun(StoreUnderTest.of(stateFolder, store), "r1", { keys: ["a"] });
    await store.close();
    const server = await newServer();
    await copyStore({ stateFolder, server, to: "postgres" });
    // Somebody has made the schema anew.
    const schema = quoteName(server.schema);
    await runSql(server.url.reveal(), `alter schema ${schema} rename to "lost ${server.schema}"`);
    const empty = copyStore({ stateFolder, server, to: "sqlite" });
    await expect(empty).rejects.toThrow(`${stateFolder}/state.db was moved`);
    await runSql(
      server.url.reveal(),
      `drop schema ${schema} cascade; alter schema "lost ${server.schema}" rename to ${schema}`,
    );
    await copyStore({ stateFolder, server, to: "sqlite" });
    // Another host has an empty folder of this path.
    for (const file of ["state.db", "inbox.db"])
      await rename(join(stateFolder, file), join(stateFolder, `here ${file}`));
    const other = copyStore({ stateFolder, server, to: "postgres" });
    await expect(other).rejects.toThrow("was moved");
    for (const file of ["state.db", "inbox.db"])
      await rename(join(stateFolder, `here ${file}`), join(stateFolder, file));
    const { tables } = await copyStore({ stateFolder, server, to: "postgres" });
    expect(tables).toMatchObject({ runs: 1 });
  });

  it("is not made back from the target of a copy that was cut off", async () => {
    const stateFolder = await newFolder();
    const store = await openStoreInline(stateFolder);
    onTestFinished(async () => await store.close());
    await sendRun(StoreUnderTest.of(stateFolder, store), "r1", { keys: ["a"] });
    const server = await newServer();
    await cutOff(new SqliteEnd(stateFolder), await PostgresEnd.open(server));
    await expect(copyStore({ stateFolder, server, to: "sqlite" })).rejects.toThrow("was moved");
    const { tables } = await copyStore({ stateFolder, server, to: "postgres" });
    expect(tables).toMatchObject({ runs: 1 });
    // The folder's store is older now than what a copy back would replace.
    await cutOff(await PostgresEnd.open(server), new SqliteEnd(stateFolder));
    await expect(copyStore({ stateFolder, server, to: "postgres" })).rejects.toThrow("was moved");
    const back = await copyStore({ stateFolder, server, to: "sqlite" });
    expect(back.tables).toMatchObject({ runs: 1 });
  });

  it("is taken back into a folder that an older sluice left", async () => {
    const stateFolder = await newFolder();
    const store = await openStoreInline(stateFolder);
    await sendRun(StoreUnderTest.of(stateFolder, store), "r1", { keys: ["a"] });
    await store.close();
    const server = await newServer();
    await copyStore({ stateFolder, server, to: "postgres" });
    await makeOlder(stateFolder);
    await copyStore({ stateFolder, server, to: "sqlite" });
    const back = await openStoreInline(stateFolder);
    onTestFinished(async () => await back.close());
    expect(await back.run("r1")).toMatchObject({ outcome: "done" });
  });

  it("is made again out of a folder that an older sluice was cut off in", async () => {
    const stateFolder = await newFolder();
    const store = await openStoreInline(stateFolder);
    await sendRun(StoreUnderTest.of(stateFolder, store), "r1", { keys: ["a"] });
    await store.close();
    const server = await newServer();
    await cutOff(new SqliteEnd(stateFolder), await PostgresEnd.open(server));
    await makeOlder(stateFolder);
    const { tables } = await copyStore({ stateFolder, server, to: "postgres" });
    expect(tables).toMatchObject({ runs: 1 });
  });
});

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from "node:sqlite";
import { inspect } from "node:util";

import { describe, expect, it } from "vitest";

import { inboxFileIn } from "../../../../src/inbox/file.ts";
import { openInboxDatabase } from "../../../../src/inbox/sqlite/database.ts";
import {
  alikeTables,
  leftInboxTables,
  leftPostgresTables,
  leftSqliteTables,
  leftTables,
  ownTables,
} from "../../../../src/state/copy/copied-tables.ts";
import { copyStore } from "../../../../src/state/copy/copy-store.ts";
import { tableNames } from "../../../../src/state/postgres/schema.ts";
import { bytesOfAges, idsPerBlock } from "../../../../src/state/sqlite/keys/age-blocks.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { numbers } from "../../../support/sequences.ts";
import { one } from "../../inbox/deliveries.ts";
import { newFolder, newServer } from "./support.ts";

/** A column value that no other row has. */
function valueOf(type: string, n: number): SQLInputValue {
  switch (type.toLowerCase()) {
    case "integer":
      return n + 1;
    case "real":
      return n + 0.5;
    case "blob":
      return randomBytes(16);
    default:
      return `text ${n} \u0000 \u0001 ${"ü".repeat(n)}`;
  }
}

/** Fills every table that both databases have with some rows, whatever they mean. */
function fillAlike(db: DatabaseSync): void {
  for (const { name: table } of alikeTables) {
    const columns = db
      .prepare('select name, type, max("notnull", pk) as needed from pragma_table_info(?)')
      .all(table);
    const names = columns.map((column) => String(column["name"]));
    const put = db.prepare(
      `insert into ${table} (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
    );
    for (const n of numbers(5)) {
      const values = columns.map(({ name: column, type, needed }) => {
        // An age is a whole number, although SQLite's column type for it is not.
        const of = column === "age" ? "integer" : String(type);
        // An open run would prevent the move.
        return n % 2 === 1 && needed === 0 && column !== "ended_at" ? null : valueOf(of, n);
      });
      put.run(...values);
    }
  }
  // Numbers that were drawn and are gone must not be drawn again.
  db.exec("delete from stagings where send = (select max(send) from stagings)");
}

function fillKeys(db: DatabaseSync): void {
  const put = db.prepare(
    "insert into fingerprints (set_id, number, tag, hash, send, id) values (?, ?, ?, ?, ?, ?)",
  );
  const ends = [-(2n ** 63n), -1n, 0n, 1n, 2n ** 63n - 1n];
  for (const [n, number] of ends.entries()) {
    put.run(1, number, randomBytes(8), n === 2 ? null : randomBytes(16), n % 2 === 0 ? n : -n, n);
    db.prepare("insert into field_hashes (id, hashes) values (?, ?)").run(
      2 * 2 ** 32 + n,
      n === 1 ? null : randomBytes(12),
    );
  }
  const ages = Float64Array.from({ length: idsPerBlock }, (_, id) =>
    id % 3 === 0 ? id * 2 ** 30 : 0,
  );
  const block = bytesOfAges(ages);
  db.prepare("insert into sighted_blocks (set_id, block, age_runs) values (1, 2, ?)").run(block);
}

type Rows = readonly Readonly<Record<string, SQLOutputValue>>[];

function all(db: DatabaseSync, from: string, columns = "*"): Rows {
  const select = db.prepare(`select ${columns} from ${from}`);
  select.setReadBigInts(true);
  // Vitest cannot show rows without a prototype.
  const rows = select.all().map((row) => ({ ...row }));
  return rows.toSorted((row, other) => (inspect(row) < inspect(other) ? -1 : 1));
}

/** The names of a file's tables. */
function tablesIn(file: string): ReadonlySet<unknown> {
  const db = new DatabaseSync(file, { readOnly: true });
  const sql = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'";
  const found = db.prepare(sql).all();
  db.close();
  return new Set(found.map((row) => row["name"]));
}

/** All rows of all copied tables, and the numbers to be drawn next. */
function rowsOf(stateFolder: string): ReadonlyMap<string, Rows> {
  const state = new DatabaseSync(join(stateFolder, "state.db"), { readOnly: true });
  const inbox = new DatabaseSync(inboxFileIn(stateFolder), { readOnly: true });
  const rows = new Map<string, Rows>([
    ...alikeTables.map(({ name: table, hidden = "1" }): [string, Rows] => [
      table,
      all(state, table, `${hidden}, *`),
    ]),
    ...ownTables.map(({ isOfInbox, sqlite }): [string, Rows] => [
      sqlite.table,
      all(isOfInbox === true ? inbox : state, sqlite.table),
    ]),
    ["facts", all(state, "meta where name in ('salt', 'key_secret')")],
    ["drawn", all(state, "sqlite_sequence where name in ('stagings', 'requests')")],
    ["inboxId", all(inbox, "meta where name = 'store_id'")],
  ]);
  state.close();
  inbox.close();
  return rows;
}

describe("copyStore", () => {
  it("takes every table there, and everything back as it was", async () => {
    const stateFolder = await newFolder();
    const db = new DatabaseSync(join(stateFolder, "state.db"));
    fillAlike(db);
    fillKeys(db);
    db.close();
    const inbox = openInboxDatabase(inboxFileIn(stateFolder));
    inbox.keep([one("a"), one("a", "2"), { ...one("b\u0000"), connection: "repo" }]);
    inbox.setLeaving({ connection: "forms", upTo: 1, since: 5 });
    inbox.close();
    const server = await newServer();
    const copied = await copyStore({ stateFolder, server, to: "postgres" });
    const before = rowsOf(stateFolder);
    expect(copied.tables).toMatchObject({ runs: 5, stagings: 4, fingerprints: 5, inbox_events: 3 });
    expect(Object.values(copied.tables).every((count) => count > 0)).toBe(true);

    const elsewhere = await temporaryFolder();
    const back = await copyStore({ stateFolder: elsewhere, server, to: "sqlite" });
    expect(back.tables).toEqual(copied.tables);
    expect(back.storeId).not.toBe(copied.storeId);
    const requests = before.get("requests")?.map((row) => ({ ...row, boot_id: "moved" }));
    expect(rowsOf(elsewhere)).toEqual(new Map([...before, ["requests", requests]]));
  });

  it("leaves out no column of a table that differs", async () => {
    const stateFolder = await newFolder();
    const state = new DatabaseSync(join(stateFolder, "state.db"), { readOnly: true });
    const inbox = new DatabaseSync(inboxFileIn(stateFolder), { readOnly: true });
    const left = ownTables.flatMap(({ isOfInbox, sqlite: { table, read } }) => {
      const columns = all(isOfInbox === true ? inbox : state, `pragma_table_info('${table}')`);
      expect(columns).not.toEqual([]);
      return columns.filter(
        ({ name: column }) => !new RegExp(`\\b${String(column)}\\b`).test(read),
      );
    });
    state.close();
    inbox.close();
    expect(left).toEqual([]);
  });

  it("leaves out no table", async () => {
    const stateFolder = await newFolder();
    const copied = [...alikeTables, ...ownTables].map(({ name: table }) => table);
    const left = [...leftTables, "meta"];
    expect(tableNames).toEqual(new Set([...copied, ...left, ...leftPostgresTables]));
    const ofState = ownTables.filter(({ isOfInbox }) => isOfInbox !== true);
    const ofInbox = ownTables.filter(({ isOfInbox }) => isOfInbox === true);
    expect(tablesIn(join(stateFolder, "state.db"))).toEqual(
      new Set([
        ...alikeTables.map((table) => table.name),
        ...ofState.map((table) => table.sqlite.table),
        ...left,
        ...leftSqliteTables,
      ]),
    );
    expect(tablesIn(inboxFileIn(stateFolder))).toEqual(
      new Set([...ofInbox.map((table) => table.sqlite.table), ...leftInboxTables, "meta"]),
    );
  });
});

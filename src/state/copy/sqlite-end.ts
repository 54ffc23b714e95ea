import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";

import { z } from "zod";

import { inboxFileIn } from "../../inbox/file.ts";
import { inboxMigrations } from "../../inbox/sqlite/migrations.ts";
import { mergeRecentIds } from "../../inbox/sqlite/recent-ids.ts";
import { beatsKeepSchemaMs, lockWaitMs } from "../limits.ts";
import { copyIdName } from "../moved.ts";
import { count, migrateFile, openDatabase } from "../sqlite/database.ts";
import { agesOf, bytesOfAges, idsPerBlock } from "../sqlite/keys/age-blocks.ts";
import { foldAllSightings } from "../sqlite/keys/sightings.ts";
import { createKeyMerging } from "../sqlite/keys/staged/merge-keys.ts";
import { movedToOf } from "../sqlite/unopened.ts";
import {
  alikeTables,
  leftInboxTables,
  leftSqliteTables,
  leftTables,
  type OwnTable,
  ownFacts,
  ownTables,
  tellingTables,
} from "./copied-tables.ts";
import { batches, type CopiedRow, type CopiedValue, type CopyEnd } from "./copy-end.ts";
import { isOfMark, type MoveMark, otherCopyError, refuseOther } from "./marks.ts";

const numbers = z.array(z.number());

/** The places of a block that have an age, each with its age. */
function someOf(ages: unknown): readonly (readonly [number, number])[] {
  return ages instanceof Uint8Array ? [...agesOf(ages).entries()].filter(([, age]) => age > 0) : [];
}

/** Defines SQL functions that convert between a block of ages and JSON lists of its ids and ages. */
function defineBlocks(db: DatabaseSync): void {
  db.function("ids_of_block", (block, ages) =>
    JSON.stringify(someOf(ages).map(([index]) => Number(block) * idsPerBlock + index)),
  );
  db.function("ages_of_block", (ages) => JSON.stringify(someOf(ages).map(([, age]) => age)));
  db.function("block_of", (ids, ages) => {
    const block = new Float64Array(idsPerBlock);
    const values = numbers.parse(JSON.parse(String(ages)));
    for (const [index, id] of numbers.parse(JSON.parse(String(ids))).entries()) {
      block[id % idsPerBlock] = values[index] ?? 0;
    }
    return bytesOfAges(block);
  });
}

function factsIn(db: DatabaseSync): Map<string, string> {
  const rows = db.prepare("select name, value from meta").all();
  return new Map(rows.map(({ name, value }) => [String(name), String(value)]));
}

function putFact(db: DatabaseSync, fact: { readonly name: string; readonly value: string }): void {
  db.prepare("insert or replace into meta (name, value) values ($name, $value)").run(fact);
}

/** Whether somebody else writes into a file for longer than one waits. */
function isLocked(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 5;
}

function isAny(db: DatabaseSync, table: string): boolean {
  return db.prepare(`select 1 from ${table} limit 1`).get() !== undefined;
}

/**
 * Opens a file briefly, as every process does; creates it if it is missing. One that was moved, which is refused, is
 * only brought to this version: an older sluice may have left it.
 */
function whileOpen(
  file: string,
  work: (db: ReturnType<typeof openDatabase>) => void,
  steps?: readonly string[],
): void {
  if (movedToOf(file) !== undefined) return migrateFile(file, steps);
  const db = openDatabase(file, steps);
  try {
    work(db);
  } finally {
    db.close();
  }
}

/** The store in a state folder, and the inbox beside it. */
export class SqliteEnd implements CopyEnd {
  readonly name: string;
  readonly #inboxFile: string;
  readonly #state: DatabaseSync;
  readonly #inbox: DatabaseSync;

  /** Creates missing files. */
  constructor(stateFolder: string) {
    this.name = join(stateFolder, "state.db");
    this.#inboxFile = inboxFileIn(stateFolder);
    whileOpen(this.name, () => undefined);
    whileOpen(this.#inboxFile, () => undefined, inboxMigrations);
    this.#state = new DatabaseSync(this.name, { timeout: lockWaitMs });
    this.#inbox = new DatabaseSync(this.#inboxFile, { timeout: lockWaitMs });
    for (const db of this.#all) db.exec("pragma synchronous = full; pragma secure_delete = on");
    defineBlocks(this.#state);
  }

  /** The inbox comes first: until the store is in its final state, nobody opens either. */
  get #all(): readonly DatabaseSync[] {
    return [this.#inbox, this.#state];
  }

  #of({ isOfInbox = false }: Pick<OwnTable, "isOfInbox">): DatabaseSync {
    return isOfInbox ? this.#inbox : this.#state;
  }

  /** The columns of a table, as `select *` gives them. */
  columnsOf(table: string): readonly string[] {
    const columns = this.#state.prepare("select name from pragma_table_info(?)").all(table);
    return columns.map(({ name }) => String(name));
  }

  async prepare(): Promise<void> {
    whileOpen(this.name, (db) => {
      createKeyMerging(db).settle();
      foldAllSightings(db);
    });
    whileOpen(this.#inboxFile, mergeRecentIds, inboxMigrations);
  }

  async facts(): Promise<ReadonlyMap<string, string>> {
    const inboxId = factsIn(this.#inbox).get("store_id") ?? "";
    return factsIn(this.#state).set("inbox_id", inboxId);
  }

  async whyBusy(): Promise<string | undefined> {
    const run = this.#state.prepare("select run_id from runs where ended_at is null limit 1").get();
    if (run !== undefined) return `run ${String(run["run_id"])} has not ended`;
    const beat = this.#state
      .prepare("select process from hosts where abs(? - last_beat) < ? limit 1")
      .get(Date.now(), beatsKeepSchemaMs);
    return beat === undefined ? undefined : `worker ${String(beat["process"])} works with it`;
  }

  async isApart(): Promise<boolean> {
    const ofState = "select (select count(*) from staged_keys) + (select count(*) from sightings)";
    const ofInbox = "select count(*) from recent_ids";
    return count(this.#state.prepare(ofState)) + count(this.#inbox.prepare(ofInbox)) > 0;
  }

  async isEmpty(): Promise<boolean> {
    return (
      !tellingTables.some((table) => isAny(this.#state, table)) && !isAny(this.#inbox, "events")
    );
  }

  async mark(mark: MoveMark): Promise<void> {
    try {
      await this.begin("write");
      refuseOther(this.name, factsIn(this.#state), mark);
      for (const db of this.#all)
        for (const [name, value] of Object.entries(mark.facts)) putFact(db, { name, value });
      await this.commit();
    } catch (error) {
      await this.rollBack();
      throw isLocked(error) ? otherCopyError(this.name) : error;
    }
  }

  async unmark(copyId: string): Promise<void> {
    const unmark = `delete from meta where ${isOfMark}
      and (select value from meta where name = '${copyIdName}') = ?`;
    for (const db of this.#all) db.prepare(unmark).run(copyId);
  }

  async begin(how: "read" | "write"): Promise<void> {
    for (const db of this.#all) db.exec(how === "read" ? "begin" : "begin immediate");
  }

  async clear(): Promise<void> {
    for (const table of ownTables) this.#of(table).exec(`delete from ${table.sqlite.table}`);
    for (const table of alikeTables) this.#state.exec(`delete from ${table.name}`);
    for (const table of [...leftTables, ...leftSqliteTables])
      this.#state.exec(`delete from ${table}`);
    for (const table of leftInboxTables) this.#inbox.exec(`delete from ${table}`);
  }

  async *read(table: OwnTable): AsyncGenerator<readonly CopiedRow[]> {
    const select = this.#of(table).prepare(table.sqlite.read);
    select.setReadBigInts(true);
    // Columns that are expressions may share a name.
    select.setReturnArrays(true);
    yield* batches(
      (function* rows(): Generator<CopiedRow> {
        for (const row of select.iterate()) yield Object.values(row);
      })(),
    );
  }

  async write(table: OwnTable, rows: readonly CopiedRow[]): Promise<void> {
    const insert = this.#of(table).prepare(table.sqlite.write);
    for (const row of rows) insert.run(...row.map((value: CopiedValue): SQLInputValue => value));
  }

  async count(table: OwnTable): Promise<number> {
    return count(this.#of(table).prepare(`select count(*) from ${table.sqlite.table}`));
  }

  async lastDrawn(table: OwnTable): Promise<bigint> {
    const { drawn = "rowid", sqlite } = table;
    const db = this.#of(table);
    const most = count(db.prepare(`select coalesce(max(${drawn}), 0) from ${sqlite.table}`));
    const drawnLast = db
      .prepare("select seq from sqlite_sequence where name = ?")
      .get(sqlite.table);
    return BigInt(Math.max(most, Number(drawnLast?.["seq"] ?? 0)));
  }

  async setDrawn({ sqlite: { table }, ...of }: OwnTable, last: bigint): Promise<void> {
    // Only tables that never reuse a number have a row here; the others continue after their greatest number.
    const db = this.#of(of);
    const sql = db.prepare("select sql from sqlite_master where name = ?").get(table)?.["sql"];
    if (!String(sql).includes("autoincrement")) return;
    db.prepare("delete from sqlite_sequence where name = ?").run(table);
    db.prepare("insert into sqlite_sequence (name, seq) values (?, ?)").run(table, last);
  }

  async adopt(facts: ReadonlyMap<string, string>): Promise<string> {
    const storeId = randomUUID();
    for (const [name, value] of facts)
      if (!ownFacts.has(name)) putFact(this.#state, { name, value });
    putFact(this.#state, { name: "store_id", value: storeId });
    putFact(this.#state, { name: "copied_from", value: facts.get("store_id") ?? "" });
    putFact(this.#inbox, { name: "store_id", value: facts.get("inbox_id") ?? randomUUID() });
    for (const db of this.#all) db.exec(`delete from meta where ${isOfMark}`);
    return storeId;
  }

  async commit(): Promise<void> {
    for (const db of this.#all) db.exec("commit");
  }

  async rollBack(): Promise<void> {
    for (const db of this.#all) if (db.isTransaction) db.exec("rollback");
  }

  async close(): Promise<void> {
    for (const db of this.#all) db.close();
  }
}

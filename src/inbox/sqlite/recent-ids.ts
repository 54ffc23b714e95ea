import { z } from "zod";

import { transactionRowsMax } from "../../state/limits.ts";
import { all, count, type Database } from "../../state/sqlite/database.ts";
import { recentIdsMax } from "../limits.ts";
import { type EventName, IdSegment, type NamedBody } from "./id-segment.ts";

const row = z.object({ position: z.int(), ids: z.instanceof(Uint8Array) });

/** A full segment, which is being merged into `known_ids`. */
type Full = {
  readonly segment: IdSegment;
  /** Position of its last row. */
  readonly upTo: number;
  /** Its records in the order of `known_ids`; those before `next` are merged. */
  readonly order: Uint32Array;
  next: number;
};

/**
 * The latest ids, each with its first body. A transaction writes all of its ids as one row at the end of a table,
 * whereas in `known_ids` each would change a different page. They are merged into `known_ids` later, some with each
 * transaction, in the order of that table, so that many share a page. Each process has the contents of the table in
 * memory.
 *
 * Call every method except `load` inside a transaction, and `reset` after one that failed.
 */
export class RecentIds {
  readonly #statements: ReturnType<typeof prepare>;
  readonly #idsMax: number;
  readonly #full: Full[] = [];
  #open = new IdSegment();
  /** Records of the open segment that are in the table. */
  #written = 0;
  /** When the oldest of its other records came, Unix ms. */
  #oldestAt = Infinity;
  /** Position of the last known row; 0 for none. */
  #last = 0;
  /** Ids that came before this time (Unix ms) are forgotten, here too. */
  #forgottenBefore = 0;
  /** Records that came since the last merge, from any process. */
  #arrived = 0;

  /** A segment is full once it has `idsMax` ids. */
  constructor(db: Database, idsMax: number) {
    this.#statements = prepare(db);
    this.#idsMax = idsMax;
  }

  /** Reads the table if nothing of it is known yet, so that no transaction takes that long. */
  load(): void {
    if (this.#last > 0) return;
    this.catchUp();
    this.#arrived = 0;
  }

  /**
   * Reads the changes by other processes since the last transaction. Ids that they merged stay in memory: they are in
   * `known_ids`, or forgotten.
   */
  catchUp(): void {
    const { first, forgotten, after } = this.#statements;
    this.#forgottenBefore = count(forgotten);
    let rows: readonly z.output<typeof row>[];
    do {
      rows = all(row, after, { position: this.#last });
      for (const { position, ids } of rows) {
        const before = this.#open.size;
        this.#open.addBytes(ids);
        this.#arrived += this.#open.size - before;
        this.#noteRow(position);
      }
    } while (rows.length > 0);
    const from = count(first) || Infinity;
    while (this.#full[0] !== undefined && this.#full[0].upTo < from) this.#full.shift();
  }

  /** Empties the memory; the next transaction reads the table again. */
  reset(): void {
    this.#full.length = 0;
    this.#begin();
    [this.#last, this.#arrived] = [0, 0];
  }

  /** The first body of an id, unless it is forgotten; one that was merged may still be found. */
  find(name: EventName): NamedBody | undefined {
    const from = this.#forgottenBefore;
    for (const { segment } of this.#full) {
      const found = segment.find(name, from);
      if (found !== undefined) return found;
    }
    return this.#open.find(name, from);
  }

  add(named: NamedBody): void {
    this.#open.add(named);
    this.#oldestAt = Math.min(this.#oldestAt, named.receivedAt);
  }

  /**
   * Writes the added ids, and merges twice as many as came, so that a full segment is gone long before the next one is
   * full.
   */
  write(): void {
    const added = this.#open.size - this.#written;
    if (added === 0) return;
    const ids = this.#open.bytesFrom(this.#written);
    const { lastInsertRowid } = this.#statements.insert.run(this.#oldestAt, ids);
    this.#mergeFull(2 * added + Math.min(2 * this.#arrived, transactionRowsMax));
    this.#arrived = 0;
    this.#noteRow(Number(lastInsertRowid));
  }

  /** Writes a body into `known_ids`. */
  merge(named: NamedBody): void {
    this.#statements.merge(named);
  }

  /**
   * Merges the rows up to the last one with an id that came before a time, but none after the row that reaches
   * `transactionRowsMax` ids. @returns how many ids; 0 when none is that old.
   */
  mergeBefore(receivedBefore: number): number {
    const { upTo, before, remove } = this.#statements;
    const last = count(upTo, { receivedBefore });
    const segment = new IdSegment();
    let position = 0;
    for (const { position: next, ids } of all(row, before, { position: last })) {
      if (segment.size >= transactionRowsMax) break;
      segment.addBytes(ids);
      position = next;
    }
    for (const record of segment.inOrder()) this.merge(segment.at(record));
    remove.run({ position });
    return segment.size;
  }

  /** Records that ids that came before a time are forgotten, once all of them are merged. */
  forgetBefore(receivedBefore: number): void {
    this.#statements.forget.run({ receivedBefore });
  }

  #mergeFull(records: number): void {
    const full = this.#full[0];
    if (full === undefined) return;
    for (const record of full.order.subarray(full.next, full.next + records)) {
      const named = full.segment.at(record);
      if (named.receivedAt >= this.#forgottenBefore) this.merge(named);
    }
    full.next += records;
    if (full.next < full.order.length) return;
    this.#statements.remove.run({ position: full.upTo });
    this.#full.shift();
  }

  #noteRow(position: number): void {
    this.#last = position;
    this.#written = this.#open.size;
    this.#oldestAt = Infinity;
    if (this.#written < this.#idsMax) return;
    const segment = this.#open;
    this.#full.push({ segment, upTo: position, order: segment.inOrder(), next: 0 });
    this.#begin();
  }

  #begin(): void {
    this.#open = new IdSegment();
    this.#written = 0;
    this.#oldestAt = Infinity;
  }
}

function prepare(db: Database) {
  const put = db.prepare(
    "insert or ignore into known_ids (connection, id_hash, body_hash, received_at) values (?, ?, ?, ?)",
  );
  return {
    first: db.prepare("select min(position) from recent_ids"),
    after: db.prepare(
      `select position, ids from recent_ids where position > $position order by position limit ${transactionRowsMax}`,
    ),
    insert: db.prepare("insert into recent_ids (oldest_at, ids) values (?, ?)"),
    upTo: db.prepare("select max(position) from recent_ids where oldest_at < $receivedBefore"),
    before: db.prepare(
      `select position, ids from recent_ids where position <= $position order by position limit ${transactionRowsMax}`,
    ),
    forgotten: db.prepare(
      "select cast(value as integer) from meta where name = 'ids_forgotten_before'",
    ),
    forget: db.prepare(
      "insert or replace into meta (name, value) values ('ids_forgotten_before', $receivedBefore)",
    ),
    remove: db.prepare("delete from recent_ids where position <= $position"),
    merge: ({ connection, id, body, receivedAt }: NamedBody): void => {
      put.run(connection, id, body, receivedAt);
    },
  };
}

/** Merges all recent ids, so that every id is in `known_ids`. */
export function mergeRecentIds(db: Database): void {
  const recent = new RecentIds(db, recentIdsMax);
  while (db.write(() => recent.mergeBefore(Infinity)) > 0);
}

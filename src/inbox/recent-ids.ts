import { z } from "zod";

import { transactionRowsMax } from "../limits.ts";
import { all, count, type Database } from "../state/database.ts";
import { type EventName, IdSegment, type NamedBody } from "./id-segment.ts";

const row = z.object({ position: z.int(), ids: z.instanceof(Uint8Array) });

/** A segment that takes no more, on its way into `event_ids`. */
type Full = {
  readonly segment: IdSegment;
  /** Position of its last row. */
  readonly upTo: number;
  /** Its records in the order of `event_ids`; those before `next` are there. */
  readonly order: Uint32Array;
  next: number;
};

/**
 * The ids that came last. A transaction writes all of its own as one row at the end of a table, where in `event_ids` each would
 * change a page of its own. They are put down there later, some with each transaction, in the order of that table, so that many
 * share a page. What the table holds, each process knows by heart.
 *
 * Every method is to be called inside a transaction, and `reset` after one that failed.
 */
export class RecentIds {
  readonly #statements: ReturnType<typeof prepare>;
  readonly #full: Full[] = [];
  #open = new IdSegment();
  /** Records of the open segment that are in the table. */
  #written = 0;
  /** When the first of the others came, Unix ms. */
  #oldestAt = Infinity;
  /** Positions of the first row that is known, and of the last; 0 for none. */
  #first = 0;
  #last = 0;

  readonly #idsMax: number;

  /** A segment is full once it has `idsMax` ids. */
  constructor(db: Database, idsMax: number) {
    this.#statements = prepare(db);
    this.#idsMax = idsMax;
  }

  /** Reads what other processes did since the last transaction. */
  catchUp(): void {
    const { first, after } = this.#statements;
    // What another process has put down, it may have forgotten since.
    if (count(first) !== this.#first) this.reset();
    for (const { position, ids } of all(row, after, { position: this.#last })) {
      this.#open.addBytes(ids);
      this.#noteRow(position);
    }
  }

  /** Forgets what it knows by heart. */
  reset(): void {
    this.#full.length = 0;
    this.#begin();
    [this.#first, this.#last] = [0, 0];
  }

  /** The bodies that came under an id and are not put down; some that are may be among them. */
  bodiesOf(name: EventName): readonly NamedBody[] {
    return [...this.#full.map(({ segment }) => segment), this.#open].flatMap((segment) =>
      segment.bodiesOf(name),
    );
  }

  add(named: NamedBody): void {
    this.#open.add(named);
    this.#oldestAt = Math.min(this.#oldestAt, named.receivedAt);
  }

  /** Writes what was added, and puts down twice as many, so that a full segment is gone long before the next one is full. */
  write(): void {
    const added = this.#open.size - this.#written;
    if (added === 0) return;
    const ids = this.#open.bytesFrom(this.#written);
    const { lastInsertRowid } = this.#statements.insert.run(this.#oldestAt, ids);
    this.#putDown(2 * added);
    this.#noteRow(Number(lastInsertRowid));
  }

  /**
   * Puts down the rows up to the last with an id that came before a time, as many as have `transactionRowsMax` ids and one more at
   * most. @returns how many ids; 0 when there is none so old.
   */
  putDownBefore(receivedBefore: number): number {
    const { upTo, before, remove } = this.#statements;
    const last = count(upTo, { receivedBefore });
    const segment = new IdSegment();
    let position = 0;
    for (const { position: next, ids } of all(row, before, { position: last })) {
      if (segment.size >= transactionRowsMax) break;
      segment.addBytes(ids);
      position = next;
    }
    for (const record of segment.inOrder()) this.#statements.putDown(segment.at(record));
    remove.run({ position });
    return segment.size;
  }

  #putDown(records: number): void {
    const full = this.#full[0];
    if (full === undefined) return;
    const { putDown, remove, first } = this.#statements;
    for (const record of full.order.subarray(full.next, full.next + records)) {
      putDown(full.segment.at(record));
    }
    full.next += records;
    if (full.next < full.order.length) return;
    remove.run({ position: full.upTo });
    this.#full.shift();
    this.#first = count(first);
  }

  #noteRow(position: number): void {
    this.#first ||= position;
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
    "insert or ignore into event_ids (connection, id_hash, body_hash, received_at) values (?, ?, ?, ?)",
  );
  return {
    first: db.prepare("select min(position) from recent_ids"),
    after: db.prepare(
      "select position, ids from recent_ids where position > $position order by position",
    ),
    insert: db.prepare("insert into recent_ids (oldest_at, ids) values (?, ?)"),
    upTo: db.prepare("select max(position) from recent_ids where oldest_at < $receivedBefore"),
    before: db.prepare(
      `select position, ids from recent_ids where position <= $position order by position limit ${transactionRowsMax}`,
    ),
    remove: db.prepare("delete from recent_ids where position <= $position"),
    putDown: ({ connection, id, body, receivedAt }: NamedBody): void => {
      put.run(connection, id, body, receivedAt);
    },
  };
}

import { hash } from "node:crypto";

import { transactionRowsMax } from "../../state/limits.ts";
import type { Database } from "../../state/sqlite/database.ts";
import type { InboxMethods } from "../inbox.ts";
import { idHashBytes, recentIdsMax } from "../limits.ts";
import { RecentIds } from "./recent-ids.ts";

/**
 * What is known of an event by its id: the id is new; the same event came before; or the id came with other bodies
 * only.
 */
export type Novelty = "new" | "had" | "conflict";

/** Says whether an event is new, and remembers it. */
export type TakeId = (event: {
  /** Number of its connection. */
  readonly connection: number;
  readonly id: string;
  readonly json: string;
  /** Unix ms. */
  readonly receivedAt: number;
}) => Novelty;

/** The ids of the events that came, each with a hash of every body it came with. */
export type EventIds = {
  /** Runs work that takes ids, in one transaction with its other writes. */
  readonly write: <Result>(work: (take: TakeId) => Result) => Result;
} & Pick<InboxMethods, "forgetIds">;

/**
 * Ids are forgotten by the hour: they are merged in the order of their hashes, so those of one hour share pages of the
 * index as well.
 */
const hourMs = 3_600_000;

/** Hashes UTF-8, as it is stored: two ids that differ only in half of a surrogate pair are one name of one event. */
function hashOf(text: string): Buffer {
  // Through a text: a small buffer comes from a pool, whereas making the buffer of `hash` takes longer than the hash
  // (measured).
  return Buffer.from(hash("sha256", text, "binary"), "latin1").subarray(0, idHashBytes);
}

/** The event ids of an inbox; `idsMax` of them are in memory before they are merged. */
export function createEventIds(db: Database, idsMax = recentIdsMax): EventIds {
  const recent = new RecentIds(db, idsMax);
  const look = db.prepare(
    `select body_hash = ? as isSame, received_at as firstAt from known_ids
     where connection = ? and id_hash = ? order by isSame desc limit 1`,
  );
  // All bodies of each id that it names: the limit may cut between two of them.
  const forget = db.prepare(
    `delete from known_ids where received_at / ${hourMs} < $hour and (connection, id_hash) in (
       select connection, id_hash from known_ids where received_at / ${hourMs} < $hour
       order by received_at / ${hourMs} limit ${transactionRowsMax})`,
  );
  const take: TakeId = ({ connection, id, json, receivedAt }) => {
    const named = { connection, id: hashOf(id), body: hashOf(json) };
    const first = recent.find(named);
    if (first?.body.equals(named.body) === true) return "had";
    const found = look.get(named.body, connection, named.id);
    if (found?.["isSame"] === 1) return "had";
    const firstAt = first?.receivedAt ?? found?.["firstAt"];
    if (firstAt === undefined) {
      recent.add({ ...named, receivedAt });
      return "new";
    }
    // The bodies of an id are forgotten together: if only the others were left, the first would become a conflict.
    recent.merge({ ...named, receivedAt: Number(firstAt) });
    return "conflict";
  };
  return {
    write: (work) => {
      recent.load();
      let isBegun = false;
      try {
        return db.write(() => {
          isBegun = true;
          recent.catchUp();
          const result = work(take);
          recent.write();
          return result;
        });
      } catch (error) {
        // Work that did not get the lock has added nothing to the memory.
        if (isBegun) recent.reset();
        throw error;
      }
    },
    forgetIds: ({ receivedBefore }) => {
      const hour = Math.floor(receivedBefore / hourMs);
      // Before any id is forgotten, all ids of that age are merged into one table, where the bodies of an id go
      // together.
      while (db.write(() => recent.mergeBefore(hour * hourMs)) > 0);
      return db.write(() => {
        recent.forgetBefore(hour * hourMs);
        return Number(forget.run({ hour }).changes);
      });
    },
  };
}

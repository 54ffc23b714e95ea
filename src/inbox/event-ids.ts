import { hash } from "node:crypto";

import { recentIdsMax, transactionRowsMax } from "../limits.ts";
import type { Database } from "../state/database.ts";
import { idHashBytes } from "./id-segment.ts";
import type { InboxMethods } from "./inbox.ts";
import { RecentIds } from "./recent-ids.ts";

/** What an event's id says of it: nothing of it came before; the very same did; another body did, and this one not yet. */
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
  /** Does work that takes ids, in one transaction with what else it writes. */
  readonly write: <Result>(work: (take: TakeId) => Result) => Result;
} & Pick<InboxMethods, "forgetIds">;

/** Ids are forgotten by the hour: put down in the order of their hashes, those of one hour share pages of the index as well. */
const hourMs = 3_600_000;

/** In UTF-8, as it is stored: two ids that differ by a half of a surrogate pair alone are one name of one event. */
function hashOf(text: string): Buffer {
  // By way of a text: a small buffer comes out of a pool, where the one of `hash` takes longer than the hash (measured).
  return Buffer.from(hash("sha256", text, "binary"), "latin1").subarray(0, idHashBytes);
}

/** The event ids of an inbox; `idsMax` of them are known by heart before they are put down. */
export function createEventIds(db: Database, idsMax = recentIdsMax): EventIds {
  const recent = new RecentIds(db, idsMax);
  const look = db.prepare(
    `select body_hash = ? as isSame, received_at as firstAt from event_ids
     where connection = ? and id_hash = ? order by isSame desc limit 1`,
  );
  const forget = db.prepare(
    `delete from event_ids where (connection, id_hash, body_hash) in (
       select connection, id_hash, body_hash from event_ids where received_at / ${hourMs} < $hour
       order by received_at / ${hourMs} limit ${transactionRowsMax})`,
  );
  const take: TakeId = ({ connection, id, json, receivedAt }) => {
    const named = { connection, id: hashOf(id), body: hashOf(json) };
    const bodies = recent.bodiesOf(named);
    if (bodies.some(({ body }) => body.equals(named.body))) return "had";
    const found = look.get(named.body, connection, named.id);
    if (found?.["isSame"] === 1) return "had";
    // The bodies of an id are forgotten together: what is left of them alone would make a conflict of the first.
    const firstAt = bodies[0]?.receivedAt ?? found?.["firstAt"];
    recent.add({ ...named, receivedAt: Number(firstAt ?? receivedAt) });
    return firstAt === undefined ? "new" : "conflict";
  };
  return {
    write: (work) => {
      try {
        return db.write(() => {
          recent.catchUp();
          const result = work(take);
          recent.write();
          return result;
        });
      } catch (error) {
        recent.reset();
        throw error;
      }
    },
    forgetIds: ({ receivedBefore }) => {
      const hour = Math.floor(receivedBefore / hourMs);
      for (;;) {
        const [put, forgotten] = db.write(() => [
          recent.putDownBefore(hour * hourMs),
          Number(forget.run({ hour }).changes),
        ]);
        if (forgotten > 0 || put === 0) return forgotten;
      }
    },
  };
}

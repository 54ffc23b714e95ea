import { hash } from "node:crypto";

import { transactionRowsMax } from "../limits.ts";
import type { Database } from "../state/database.ts";
import type { InboxMethods } from "./inbox.ts";

/** What an event's id says of it: nothing of it came before; the very same did; another body did, and this one not yet. */
export type Novelty = "new" | "had" | "conflict";

/** The ids of the events that came, each with a hash of every body it came with. */
export type EventIds = {
  /** Says whether an event is new, and remembers it; to be called inside a transaction. */
  readonly take: (event: {
    /** Number of its connection. */
    readonly connection: number;
    readonly id: string;
    readonly json: string;
    /** Unix ms. */
    readonly receivedAt: number;
  }) => Novelty;
} & Pick<InboxMethods, "forgetIds">;

const hashBytes = 16;

/** In UTF-8, as it is stored: two ids that differ by a half of a surrogate pair alone are one name of one event. */
function hashOfId(id: string): Buffer {
  return hash("sha256", id, "buffer").subarray(0, hashBytes);
}

function hashOfBody(json: string): Buffer {
  return hash("sha256", json, "buffer").subarray(0, hashBytes);
}

/** The event ids of an inbox. */
export function createEventIds(db: Database): EventIds {
  const look = db.prepare(
    `select count(*) as bodies, sum(body_hash = ?) as same, min(received_at) as first_at from event_ids
     where connection = ? and id_hash = ?`,
  );
  const insert = db.prepare(
    "insert into event_ids (connection, id_hash, body_hash, received_at) values (?, ?, ?, ?)",
  );
  const forget = db.prepare(
    `delete from event_ids where (connection, id_hash, body_hash) in (
       select connection, id_hash, body_hash from event_ids where received_at < $receivedBefore
       order by received_at limit ${transactionRowsMax})`,
  );
  return {
    take: ({ connection, id, json, receivedAt }) => {
      const [idHash, bodyHash] = [hashOfId(id), hashOfBody(json)];
      const { bodies, same, first_at: firstAt } = look.get(bodyHash, connection, idHash) ?? {};
      if (Number(same) > 0) return "had";
      // The bodies of an id are forgotten together: what is left of them alone would make a conflict of the first.
      const isNew = Number(bodies) === 0;
      insert.run(connection, idHash, bodyHash, isNew ? receivedAt : Number(firstAt));
      return isNew ? "new" : "conflict";
    },
    forgetIds: (input) => db.write(() => Number(forget.run(input).changes)),
  };
}

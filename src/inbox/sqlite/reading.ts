import { z } from "zod";

import type { Database } from "../../state/sqlite/database.ts";
import { all, count } from "../../state/sqlite/database.ts";
import type { InboxReading, InboxRow } from "../inbox.ts";
import { inboxReadBytesMax } from "../limits.ts";

const seqsPerConnection = 2 ** 40;

/** The place of an event: in the order of its connection's number, then of its sequence number. */
export function eventPlaceOf(connection: number, seq: number): number {
  return connection * seqsPerConnection + seq;
}

const inboxRow = z.object({
  seq: z.int(),
  receivedAt: z.number(),
  json: z.string(),
  id: z.string().nullable(),
  isConflict: z.int().transform(Boolean),
});

const columns = `place % ${seqsPerConnection} as seq, received_at as receivedAt, json, id, conflict as isConflict`;

/** Reads the events of an inbox, by connection and sequence number. */
export function createReading(db: Pick<Database, "prepare">): InboxReading {
  const number = db.prepare("select number from connections where name = $connection");
  const last = db.prepare("select last_seq from connections where name = $connection");
  // The size of an event is known without reading it.
  const page = db.prepare(
    `select ${columns} from events where place > $after and place <= (
       select max(place) from (
         select place, sum(bytes) over (order by place) - bytes as before from (
           select place, octet_length(json) as bytes from events
           where place > $after and place <= $upTo order by place limit $limit))
       where before < ${inboxReadBytesMax})
     order by place`,
  );
  const held = db.prepare("select count(*) from events where place > $after and place <= $upTo");
  const single = db.prepare(`select ${columns} from events where place = $place`);
  return {
    last: (connection) => count(last, { connection }),
    read: ({ connection, after, upTo = seqsPerConnection - 1, limit }) => {
      const own = count(number, { connection });
      const range = { after: eventPlaceOf(own, after), upTo: eventPlaceOf(own, upTo) };
      return all<InboxRow>(inboxRow, page, { ...range, limit });
    },
    held: ({ connection, after, upTo }) => {
      const own = count(number, { connection });
      return count(held, { after: eventPlaceOf(own, after), upTo: eventPlaceOf(own, upTo) });
    },
    get: ({ connection, seqs }) => {
      const own = count(number, { connection });
      return seqs.flatMap((seq) =>
        all<InboxRow>(inboxRow, single, { place: eventPlaceOf(own, seq) }),
      );
    },
  };
}

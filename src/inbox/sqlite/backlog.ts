import { z } from "zod";

import { transactionRowsMax } from "../../state/limits.ts";
import type { Database } from "../../state/sqlite/database.ts";
import { all, count, first } from "../../state/sqlite/database.ts";
import type { InboxMethods } from "../inbox.ts";
import { inboxGroupCharsMax } from "../limits.ts";
import { eventPlaceOf } from "./reading.ts";

const connectionRow = z.object({
  number: z.int(),
  connection: z.string(),
  last: z.int(),
  accepted: z.int(),
  hasWakeUp: z.int().transform(Boolean),
});

const leavingRow = z.object({ upTo: z.int(), since: z.int() });

const oldestRow = z.object({ seq: z.int(), receivedAt: z.number() });

/** The methods for the events that are removed next. */
export function createLeaving(db: Database): Pick<InboxMethods, "leaving" | "setLeaving"> {
  const select = db.prepare(
    "select leaving_seq as upTo, leaving_since as since from connections where name = $connection",
  );
  const update = db.prepare(
    "update connections set leaving_seq = $upTo, leaving_since = $since where name = $connection",
  );
  return {
    leaving: (input) => first(leavingRow, select, input) ?? { upTo: 0, since: 0 },
    setLeaving: ({ connection, upTo, since }) =>
      db.write(() => void update.run({ connection, upTo, since })),
  };
}

/** The methods for the backlogs of connections: their wake-ups, accepted numbers and pruning. */
export function createBacklog(
  db: Database,
): Pick<InboxMethods, "now" | "takeWakeUp" | "setAccepted" | "backlogs" | "prune"> {
  const columns =
    "number, name as connection, last_seq as last, accepted_seq as accepted, woken as hasWakeUp";
  const list = db.prepare(`select ${columns} from connections where last_seq > 0 order by name`);
  const single = db.prepare(`select ${columns} from connections where name = $connection`);
  const silence = db.prepare(
    "update connections set woken = 0 where name = $connection returning last_seq",
  );
  const accept = db.prepare("update connections set accepted_seq = $upTo where number = $number");
  const oldest = db.prepare(
    `select place - $none as seq, received_at as receivedAt from events where place > $after and place <= $last
     order by place limit 1`,
  );
  // Looks only at the first rows, so that it never walks through all retained events. Removed events are overwritten
  // through the log, which writes as many bytes as the events have.
  const remove = db.prepare(
    `delete from events where place in (
       select place from (
         select place, sum(bytes) over (order by place) - bytes as before from (
           select place, octet_length(json) as bytes from events
           where place > $none and place <= $upTo order by place limit ${transactionRowsMax}))
       where before < ${inboxGroupCharsMax})`,
  );
  return {
    now: Date.now,
    takeWakeUp: ({ connection }) => {
      const found = first(connectionRow, single, { connection });
      // Nobody has woken the drain, so whoever keeps an event after this look will: there is nothing to write.
      if (found === undefined || !found.hasWakeUp) return found?.last ?? 0;
      return db.write(() => count(silence, { connection }));
    },
    setAccepted: ({ connection, upTo }) => {
      const found = first(connectionRow, single, { connection });
      if (found === undefined || found.accepted === upTo) return;
      db.write(() => void accept.run({ number: found.number, upTo }));
    },
    backlogs: () =>
      all(connectionRow, list).map(({ number, ...backlog }) => {
        const [none, last] = [eventPlaceOf(number, 0), eventPlaceOf(number, backlog.last)];
        const after = eventPlaceOf(number, backlog.accepted);
        const next = first(oldestRow, oldest, { none, after, last });
        // No number is left out, and events are removed only from the front.
        const waiting = next === undefined ? 0 : backlog.last - next.seq + 1;
        return {
          ...backlog,
          waiting,
          oldestMs: next === undefined ? null : Date.now() - next.receivedAt,
        };
      }),
    prune: ({ connection, upTo }) => {
      const number = first(connectionRow, single, { connection })?.number;
      if (number === undefined) return 0;
      const range = { none: eventPlaceOf(number, 0), upTo: eventPlaceOf(number, upTo) };
      return db.write(() => Number(remove.run(range).changes));
    },
  };
}

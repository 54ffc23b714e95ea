import { z } from "zod";

import type { Database } from "../database.ts";
import { count, first } from "../database.ts";
import { ticketLapseMs } from "../limits.ts";

/** Who asks for a slot. */
export type Place = {
  readonly gate: string;
  /** Names the request over all its attempts; undefined holds no place. */
  readonly ticket?: string | undefined;
  /** 0 goes first. */
  readonly priority: number;
};

/** The tickets of those who were told to come back; times are of the gate's clock. */
export type Tickets = {
  /** When the holder was told to come back; undefined without a ticket. */
  due(place: Place): number | undefined;
  /** When the last of the same or a higher class is to come back; 0 without one. */
  lastDue(place: Place): number;
  /** Whether a higher class waits. */
  isOutranked(place: Place): boolean;
  keep(place: Place, due: number): void;
  drop(place: Place): void;
  /** Drops those that nobody came back with. */
  lapse(gate: string, now: number): void;
  dropAll(gate: string): void;
};

const dueRow = z.object({ due: z.number() });

/** The tickets of a SQLite store; every call belongs into a transaction. */
export function createTickets(db: Database): Tickets {
  const select = db.prepare("select due from tickets where gate = $gate and ticket = $ticket");
  const last = db.prepare(
    "select max(due) from tickets where gate = $gate and priority <= $priority",
  );
  const higher = db.prepare(
    "select count(*) from tickets where gate = $gate and priority < $priority",
  );
  const insert = db.prepare(
    `insert into tickets (gate, ticket, priority, due) values ($gate, $ticket, $priority, $due)
     on conflict do update set due = excluded.due`,
  );
  const remove = db.prepare("delete from tickets where gate = $gate and ticket = $ticket");
  const removeLapsed = db.prepare("delete from tickets where gate = $gate and due <= $lapsed");
  const removeAll = db.prepare("delete from tickets where gate = $gate");
  return {
    due: ({ gate, ticket }) =>
      ticket === undefined ? undefined : first(dueRow, select, { gate, ticket })?.due,
    lastDue: ({ gate, priority }) => count(last, { gate, priority }),
    isOutranked: ({ gate, priority }) => count(higher, { gate, priority }) > 0,
    keep: ({ gate, ticket, priority }, due) => {
      if (ticket !== undefined) insert.run({ gate, ticket, priority, due });
    },
    drop: ({ gate, ticket }) => {
      if (ticket !== undefined) remove.run({ gate, ticket });
    },
    lapse: (gate, now) => void removeLapsed.run({ gate, lapsed: now - ticketLapseMs }),
    dropAll: (gate) => void removeAll.run({ gate }),
  };
}

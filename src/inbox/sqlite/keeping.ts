import { z } from "zod";

import type { Database } from "../../state/sqlite/database.ts";
import { first } from "../../state/sqlite/database.ts";
import type { Delivery, InboxMethods, Verdict } from "../inbox.ts";
import { createEventIds, type TakeId } from "./event-ids.ts";
import { eventPlaceOf } from "./reading.ts";

const connectionRow = z.object({
  number: z.int(),
  last: z.int(),
  hasWakeUp: z.int().transform(Boolean),
});

/** A connection while a group of deliveries is written; its row is updated once, at the end. */
type Receiving = z.output<typeof connectionRow>;

/** Writes deliveries and their events' ids. */
export function createKeeping(db: Database): Pick<InboxMethods, "keep" | "forgetIds"> {
  const ids = createEventIds(db);
  const add = db.prepare("insert or ignore into connections (name) values ($name)");
  const select = db.prepare(
    "select number, last_seq as last, woken as hasWakeUp from connections where name = $name",
  );
  const update = db.prepare(
    "update connections set last_seq = $last, woken = $woken where number = $number",
  );
  const insert = db.prepare(
    "insert into events (place, received_at, conflict, id, json) values (?, ?, ?, ?, ?)",
  );

  const keepOne = (
    { events, receivedAt = Date.now() }: Delivery,
    receiving: Receiving,
    take: TakeId,
  ): Verdict => {
    const before = receiving.last;
    for (const { id, json } of events) {
      const event = { connection: receiving.number, json, receivedAt };
      const novelty = id === undefined ? "new" : take({ ...event, id });
      if (novelty === "had") continue;
      receiving.last += 1;
      const place = eventPlaceOf(receiving.number, receiving.last);
      insert.run(place, receivedAt, Number(novelty === "conflict"), id ?? null, json);
    }
    const kept = receiving.last - before;
    const wake = kept > 0 && !receiving.hasWakeUp;
    receiving.hasWakeUp ||= wake;
    return { kept, wake };
  };

  return {
    forgetIds: ids.forgetIds,
    keep: (deliveries) =>
      ids.write((take) => {
        const receivings = new Map<string, Receiving>();
        const receivingOf = (name: string): Receiving => {
          const known = receivings.get(name);
          if (known !== undefined) return known;
          add.run({ name });
          const receiving = first(connectionRow, select, { name });
          if (receiving === undefined) throw new Error(`no row of the connection ${name}`);
          receivings.set(name, receiving);
          return receiving;
        };
        const verdicts = deliveries.map((each) =>
          keepOne(each, receivingOf(each.connection), take),
        );
        for (const { number, last, hasWakeUp } of receivings.values()) {
          update.run({ number, last, woken: Number(hasWakeUp) });
        }
        return verdicts;
      }),
  };
}

import { count, emptyLog, type Database } from "../../state/sqlite/database.ts";
import type { InboxMethods } from "../inbox.ts";
import { eventPlaceOf } from "./reading.ts";

/** The method that erases single events of an inbox: it overwrites them in place. */
export function createErasing(db: Database): Pick<InboxMethods, "erase"> {
  const number = db.prepare("select number from connections where name = $connection");
  const erase = db.prepare("update events set json = '{}', id = null where place = $place");
  return {
    erase: ({ connection, seqs }) => {
      const own = count(number, { connection });
      db.write(() => {
        for (const seq of seqs) erase.run({ place: eventPlaceOf(own, seq) });
      });
      return emptyLog(db);
    },
  };
}

import { type MappingStore } from "../../contract/keys/mappings.ts";
import type { Database } from "../database.ts";
import { count } from "../database.ts";
import { sendSql } from "./ages.ts";
import { createFingerprintSets } from "./fingerprint-sets.ts";
import { newestSightedSql, type Sightings } from "./sightings.ts";

/**
 * Whether a staging was accepted and used this mapping, in SQL. A staging from before mappings were kept counts as
 * such, so that an update of sluice raises no alarm.
 */
const isOurs = (send: string): string =>
  `coalesce(${send}.state in ('committed', 'cut') and coalesce(${send}.mapping, $mapping) = $mapping, 0)`;

/** The mappings of a SQLite store. */
export function createMappingStore(db: Database, sightings: Sightings): MappingStore {
  const sets = createFingerprintSets(db);
  const others = "set_id = $setId and mapping <> $mapping";
  const isAny = db.prepare(`select count(*) from mappings where ${others}`);
  const forget = db.prepare(`delete from mappings where ${others}`);
  // Unknown records count, too: that their send was forgotten or abandoned does not mean that the service holds nothing
  // older.
  const made = db.prepare(
    `select count(*) from fingerprints f
     left join stagings sent on sent.send = abs(f.send)
     left join stagings seen on seen.send = ${sendSql(newestSightedSql)}
     where f.set_id = $setId and f.hash is not null
       and not ${isOurs("sent")} and not ${isOurs("seen")}`,
  );
  return {
    olderMapping: ({ target, sync, mapping }) => {
      const setId = sets.idOf({ target, sync });
      if (count(isAny, { setId, mapping }) === 0) return { isAny: false, records: 0 };
      const records = sightings.asking(() => count(made, { setId, mapping }));
      return { isAny: true, records };
    },
    forgetOlderMappings: ({ target, sync, mapping }) =>
      db.write(() => {
        forget.run({ setId: sets.idOf({ target, sync }), mapping });
      }),
  };
}

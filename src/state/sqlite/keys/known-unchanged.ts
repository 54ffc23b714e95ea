import { z } from "zod";

import { hashBytes, type KeysToStage } from "../../contract/keys/fingerprints.ts";
import type { Database } from "../database.ts";
import { first } from "../database.ts";
import { sendSql } from "./ages.ts";
import type { FingerprintSet } from "./fingerprint-sets.ts";

const ints = z.string().transform((text) => z.array(z.int()).parse(JSON.parse(text)));
const foundRow = z.object({ indexes: ints, ids: ints });

/** Keys by their place in the call, and the ids of their fingerprints. */
type Unchanged = z.output<typeof foundRow>;

/** Which of some keys occur once among them; undefined is all. */
function onlyOnce(keys: readonly string[]): ReadonlySet<string> | undefined {
  if (new Set(keys).size === keys.length) return undefined;
  const [once, several] = [new Set<string>(), new Set<string>()];
  for (const key of keys) {
    if (once.has(key)) several.add(key);
    once.add(key);
  }
  return once.difference(several);
}

/**
 * Finds in one statement the keys of which nothing but the fingerprint has to be asked: it was accepted, is
 * young enough, and is that of the record; and the fingerprint tells of no earlier row of the run. It names
 * what is known: every key that it does not name is judged by itself. A key that occurs twice is, too, in the
 * order of its rows.
 */
export function createFindingUnchanged(
  db: Database,
): (input: KeysToStage, set: FingerprintSet) => Unchanged {
  // `cross join` has each key looked up: the planner may go through all fingerprints for each of them.
  const select = db.prepare(
    `select json_group_array(k.key) as indexes, json_group_array(f.id) as ids
     from json_each($keys) k
     cross join fingerprints f on f.set_id = $setId and f.key = k.value
     cross join sends s on s.send = f.send
     left join sends seen on seen.send = ${sendSql("f.seen")}
     where f.id is not null and f.send > $validAfter and s.state in ('committed', 'cut')
       and coalesce(s.committed_at, 0) >= $committedAfter
       and f.hash = substr($hashes, k.key * ${hashBytes} + 1, ${hashBytes})
       and not ($rejectDuplicates and seen.run_id is $runId and seen.state <> 'dropped')`,
  );
  return ({ keys, hashes, runId, committedAfter = 0, rejectDuplicates }, { id, validAfter }) => {
    const once = onlyOnce(keys);
    const asked = once === undefined ? keys : keys.map((key) => (once.has(key) ? key : null));
    const found = first(foundRow, select, {
      keys: JSON.stringify(asked),
      hashes,
      setId: id,
      validAfter,
      committedAfter,
      runId,
      rejectDuplicates: Number(rejectDuplicates),
    });
    return found ?? { indexes: [], ids: [] };
  };
}

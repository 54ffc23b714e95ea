import type { Database } from "./database.ts";
import { count } from "./database.ts";

/** Makes a function that returns the test for keys of a set in doubt, undefined if none is; inside a transaction. */
export function createDoubtedKeys(
  db: Database,
): (setId: number) => ((key: string) => boolean) | undefined {
  const isAny = db.prepare(
    "select count(*) from (select 1 from doubts where set_id = $setId limit 1)",
  );
  const isOne = db.prepare("select count(*) from doubts where set_id = $setId and key = $key");
  return (setId) =>
    count(isAny, { setId }) === 0 ? undefined : (key) => count(isOne, { setId, key }) > 0;
}

import type { StageName } from "../contract/sends/stagings.ts";
import type { Database } from "./database.ts";
import { count } from "./database.ts";

/** Makes a function that returns whether a staging is the newest of its chunk and has not ended. */
export function isStagingIn(db: Database): (name: StageName) => boolean {
  const isStaging = db.prepare(
    `select count(*) from stagings
     where run_id = $runId and chunk = $chunk and stage = $stage and state = 'staging'`,
  );
  return ({ runId, chunk, stage }) => count(isStaging, { runId, chunk, stage }) === 1;
}

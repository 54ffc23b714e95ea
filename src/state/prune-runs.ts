import { z } from "zod";

import type { Database } from "./database.ts";
import { all } from "./database.ts";

/**
 * Removes ended runs that started before `before` (ISO), with their rejects, receipts and uncommitted sends; answers how many.
 * With `quietOf`, only the drains of that sync which ended as `done`, but for its newest run, the oldest first.
 */
export type PruneRuns = (input: {
  readonly before: string;
  readonly quietOf?: string | undefined;
  /** @default all */
  readonly limit?: number | undefined;
}) => number;

/** The removal of old runs from a SQLite store. */
export function createPruning(db: Database): PruneRuns {
  const old = db.prepare(
    `select run_id as runId from runs where ended_at is not null and started_at < $before limit $limit`,
  );
  const quiet = db.prepare(
    `select run_id as runId from runs
     where sync = $quietOf and started_at < $before and kind = 'inbox' and outcome = 'done'
       and rowid <> (select rowid from runs where sync = $quietOf order by rowid desc limit 1)
     order by started_at limit $limit`,
  );
  const removals = [
    "rejects",
    "receipts",
    "faults",
    "replays",
    "pull_runs",
    "plans",
    "lanes",
    "runs",
  ].map((table) => db.prepare(`delete from ${table} where run_id = $runId`));
  // Committed sends stay: a fingerprint counts only while its send is known as committed.
  removals.push(db.prepare("delete from sends where run_id = $runId and state <> 'committed'"));
  // A drain may run every second: its sends go with it where no fingerprint can rest on them, because there are none.
  const idle = db.prepare(
    `delete from sends where run_id = $runId and not exists (
       select 1 from fingerprint_sets s join runs r using (target, sync)
       where r.run_id = $runId and s.valid_after < sends.send)`,
  );
  const runIds = z.object({ runId: z.string() });
  return ({ before, quietOf, limit = -1 }) => {
    const gone =
      quietOf === undefined
        ? all(runIds, old, { before, limit })
        : all(runIds, quiet, { before, limit, quietOf });
    for (const { runId } of gone) {
      db.write(() => {
        if (quietOf !== undefined) idle.run({ runId });
        for (const removal of removals) removal.run({ runId });
      });
    }
    // What was removed still stands in the log until it is copied back.
    if (gone.length > 0) db.prepare("pragma wal_checkpoint(truncate)").all();
    return gone.length;
  };
}

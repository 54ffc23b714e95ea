import { z } from "zod";

import type { Database } from "../database.ts";
import { all } from "../database.ts";

/**
 * Removes ended runs that started before `before` (ISO), with their rejects, receipts and uncommitted sends;
 * answers how many. A run of which something may still be applied, or has to be sent once more, stays. With
 * `quietOf`, only the drains of that sync which ended as `done`, but for its newest run, the oldest first.
 */
export type PruneRuns = (input: {
  readonly before: string;
  readonly quietOf?: string | undefined;
  /** @default all */
  readonly limit?: number | undefined;
}) => number;

/** Runs of which nothing may still be applied, or has to be sent once more. */
const isSettled = `not exists (
  select 1 from stagings s join requests q using (send) where s.run_id = runs.run_id
    and (q.is_open or q.since_wall + q.lasts_ms > $beforeMs))
  and not exists (
    select 1 from stagings s join doubts d on s.send in (d.send, d.next_send) where s.run_id = runs.run_id)`;

/** The removal of old runs from a SQLite store. */
export function createPruning(db: Database): PruneRuns {
  const old = db.prepare(
    `select run_id as runId from runs
     where ended_at is not null and started_at < $before and ${isSettled} limit $limit`,
  );
  const quiet = db.prepare(
    `select run_id as runId from runs
     where sync = $quietOf and started_at < $before and kind = 'inbox' and outcome = 'done' and ${isSettled}
       and rowid <> (select rowid from runs where sync = $quietOf order by rowid desc limit 1)
     order by started_at limit $limit`,
  );
  const ofRun = "send in (select send from stagings where run_id = $runId)";
  const pending = ["requests", "sent_keys"].map((table) =>
    db.prepare(`delete from ${table} where ${ofRun}`),
  );
  const removals = [
    "rejects",
    "receipts",
    "faults",
    "replays",
    "pull_runs",
    "plans",
    "lanes",
    "stray_keys",
    "runs",
  ].map((table) => db.prepare(`delete from ${table} where run_id = $runId`));
  // Committed sends stay: a fingerprint counts only while its send is known as committed.
  removals.push(
    db.prepare("delete from stagings where run_id = $runId and state not in ('committed', 'cut')"),
  );
  // A drain may run every second: its sends go with it where no fingerprint can depend on them, because there are none.
  const idle = db.prepare(
    `delete from stagings where run_id = $runId and not exists (
       select 1 from fingerprint_sets s join runs r using (target, sync)
       where r.run_id = $runId and s.valid_after < stagings.send)`,
  );
  const runIds = z.object({ runId: z.string() });
  return ({ before, quietOf, limit = -1 }) => {
    const asked = { before, beforeMs: Date.parse(before), limit };
    const gone =
      quietOf === undefined ? all(runIds, old, asked) : all(runIds, quiet, { ...asked, quietOf });
    for (const { runId } of gone) {
      db.write(() => {
        if (quietOf !== undefined) idle.run({ runId });
        for (const removal of [...pending, ...removals]) removal.run({ runId });
      });
    }
    // What was removed still is in the log until it is copied back.
    if (gone.length > 0) db.prepare("pragma wal_checkpoint(truncate)").all();
    return gone.length;
  };
}

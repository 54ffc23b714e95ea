import { z } from "zod";

import { refusedAgain } from "../records/reject-codes.ts";
import type { SyncName } from "./checkpoints.ts";
import type { Database } from "./database.ts";
import { all } from "./database.ts";
import { ageSql, sendOfSeen } from "./fingerprints.ts";
import { rejectColumns, rejectRow, type Reject } from "./rejects.ts";
import { runKinds } from "./runs.ts";

/** Which open rejects are asked for: of one target, of one sync and one code when they are named. */
export type OpenRejectsOf = Pick<SyncName, "target"> & {
  readonly sync?: string | undefined;
  readonly code?: string | undefined;
};

const runRow = z
  .object({ runId: z.string(), sync: z.string(), kind: z.enum(runKinds), open: z.int() })
  .readonly();

/** A run with rejects that are open, and how many. */
export type RunWithOpenRejects = z.output<typeof runRow>;

/**
 * Rejects of syncs that are open, whichever run holds them: no replay has read their rows, none of the same row or key came later, a newer
 * record of their key was not staged since (which says nothing of a second row of a key), and no later run has read the whole source. Those of a chunk that was never committed come again
 * with the next run, and of a row that is gone, or a line that no source has, nothing can be sent.
 */
export interface OpenRejectStore {
  /** The runs that hold them, in the order in which they are replayed: newest first, replays after what they were of. */
  runsWithOpenRejects(input: OpenRejectsOf & { readonly limit?: number }): RunWithOpenRejects[];
  /** Of the newest run first. */
  openRejects(input: OpenRejectsOf & { readonly limit: number }): Reject[];
}

/** The age of a reject `r` of a staging `s`: what a replay refused again is as old as it was, and a duplicate older than any row. */
export const rejectAgeSql = `coalesce(p.age, iif(r.step = 'duplicate', 0, ${ageSql("s.send", "r.row_number")}))`;

/** Joins to a reject `r` the replay `p` that it is one of. */
export const joinReplayed = `left join replays p on p.run_id = r.run_id and p.number = (
       select min(number) from replays where run_id = r.run_id and place = r.place)`;

const open = `with whole as (
    select sync, max(rowid) as number from runs
    where target = $target and kind = 'sync' and from_position is null and outcome in ('done', 'done_with_rejects')
      and request ->> '$.limit' is null and request ->> '$.dryRun' is null
    group by sync
  ), found as (
    select r.run_id, r.chunk, r.ordinal, runs.rowid as number, runs.sync, runs.kind, r.code,
      rank() over (partition by runs.sync, coalesce(r.key, r.place) order by runs.rowid desc) as age
    from runs left join whole w using (sync) join rejects r using (run_id) join sends s using (run_id, chunk, stage)
    ${joinReplayed}
    where runs.target = $target and ($sync is null or runs.sync = $sync) and runs.kind <> 'pull'
      and runs.rowid >= coalesce(w.number, 0) and s.state = 'committed' and r.replayed_by is null and r.code not in ('row_gone', '${refusedAgain}')
      and (r.step = 'duplicate' or not exists (
        select 1 from fingerprint_sets e join fingerprints f on f.set_id = e.id and f.key = r.key
        left join sends n on n.send = ${sendOfSeen("f.seen")}
        where e.target = runs.target and e.sync = runs.sync
          and iif(n.state in ('committed', 'cut'), f.seen, f.seen_before) > ${rejectAgeSql}))
  ), open as (select * from found where age = 1 and ($code is null or code = $code))`;

/** The open rejects of a SQLite store. */
export function createOpenRejectStore(db: Database): OpenRejectStore {
  const runs = db.prepare(
    `${open} select run_id as runId, sync, kind, count(*) as open from open
     group by run_id order by kind = 'replay', number desc limit $limit`,
  );
  const list = db.prepare(
    `${open} select ${rejectColumns} from open join rejects using (run_id, chunk, ordinal)
     order by number desc, chunk, ordinal limit $limit`,
  );
  return {
    runsWithOpenRejects: ({ target, sync = null, code = null, limit = -1 }) =>
      all(runRow, runs, { target, sync, code, limit }),
    openRejects: ({ target, sync = null, code = null, limit }) =>
      all(rejectRow, list, { target, sync, code, limit }),
  };
}

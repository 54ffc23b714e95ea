import { refusedAgain } from "../../../records/reject-codes.ts";
import type { OpenRejectStore } from "../../contract/rejects/open-rejects.ts";
import { openRejectsRow } from "../../contract/rejects/open-rejects.ts";
import { rejectRow } from "../../contract/rejects/rejects.ts";
import type { Database } from "../database.ts";
import { all } from "../database.ts";
import { ageSql } from "../keys/ages.ts";
import { isOfKeySql } from "../keys/key-functions.ts";
import { newestSightedSql, type Sightings } from "../keys/sightings.ts";
import { rejectColumns } from "./rejects.ts";

/**
 * The age of a reject `r` of a staging `s`: what a replay refused again is as old as it was, and a duplicate
 * older than any row.
 */
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
    from runs left join whole w using (sync) join rejects r using (run_id) join stagings s using (run_id, chunk, stage)
    ${joinReplayed}
    where runs.target = $target and ($sync is null or runs.sync = $sync) and runs.kind <> 'pull'
      and runs.rowid >= coalesce(w.number, 0) and s.state = 'committed' and r.replayed_by is null and r.code not in
        ('row_gone', '${refusedAgain}')
      and (r.step = 'duplicate' or not exists (
        select 1 from fingerprint_sets e join fingerprints f on ${isOfKeySql("e.id", "r.key")}
        where e.target = runs.target and e.sync = runs.sync and ${newestSightedSql} > ${rejectAgeSql}))
  ), open as (select * from found where age = 1 and ($code is null or code = $code))`;

/** The open rejects of a SQLite store. */
export function createOpenRejectStore(db: Database, sightings: Sightings): OpenRejectStore {
  const runs = db.prepare(
    `${open} select run_id as runId, sync, kind, count(*) as open from open
     group by run_id order by kind = 'replay', number desc limit $limit`,
  );
  const list = db.prepare(
    `${open} select ${rejectColumns} from open join rejects using (run_id, chunk, ordinal)
     where ($key is null or key = $key) and ($since is null or created_at >= $since)
     order by number desc, chunk, ordinal limit $limit`,
  );
  return {
    runsWithOpenRejects: ({ target, sync = null, code = null, limit = -1 }) =>
      sightings.asking(() => all(openRejectsRow, runs, { target, sync, code, limit })),
    openRejects: ({ target, sync = null, code = null, key = null, since = null, limit }) =>
      sightings.asking(() => all(rejectRow, list, { target, sync, code, key, since, limit })),
  };
}

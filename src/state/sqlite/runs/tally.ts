import { refusedAgain } from "../../../records/reject-codes.ts";
import { type TallyStore, tallyRow } from "../../contract/runs/tally.ts";
import type { Database } from "../database.ts";

/** The tallies of a SQLite store. */
export function createTallyStore(db: Database): TallyStore {
  const select = db.prepare(
    `with counted as (
       select * from stagings
       where run_id = $runId and (state in ('committed', 'cut') or ($staged and state = 'staged'))
     ), accepted as (
       select * from receipts where run_id = $runId and state = 'committed'
     )
     select coalesce(sum(rows_read), 0) as read, coalesce(sum(unchanged), 0) as unchanged,
       coalesce(sum(filtered), 0) as filtered, count(*) as chunks,
       coalesce(sum(records - split_rejected), 0) as staged,
       coalesce(sum(rejected + split_rejected), 0) as refused,
       case when $staged then coalesce(sum(records), 0)
         else (select coalesce(sum(records), 0) from accepted) end as sent,
       (select count(*) from accepted) as parts,
       case when $staged then coalesce(sum(json_bytes), 0)
         else (select coalesce(sum(json_bytes), 0) from accepted) end as jsonBytes,
       case when $staged then coalesce(sum(gzip_bytes), 0)
         else (select coalesce(sum(gzip_bytes), 0) from accepted) end as gzipBytes,
       (select count(*) from rejects join counted using (run_id, chunk, stage)) as rejected,
       (select count(*) from rejects join counted using (run_id, chunk, stage) where code = '${refusedAgain}') as again
     from counted`,
  );
  return {
    tally: ({ runId, staged }) => tallyRow.parse(select.get({ runId, staged: Number(staged) })),
  };
}

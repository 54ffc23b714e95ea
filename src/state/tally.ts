import { z } from "zod";

import { refusedAgain } from "../records/reject-codes.ts";
import type { Database } from "./database.ts";

const tallyRow = z
  .object({
    /** Rows and rejects yielded, by the stagings that count. */
    read: z.int(),
    /** Records of accepted parts; with `staged` those that would be sent. */
    sent: z.int(),
    unchanged: z.int(),
    filtered: z.int(),
    /** Rows of the reject store that belong to the stagings that count. */
    rejected: z.int(),
    /** Records that those stagings wrote, and rows they refused: the other side of `sent` and `rejected`. */
    staged: z.int(),
    refused: z.int(),
    /** Those among them that were lines of an earlier run, sent once more. */
    again: z.int(),
    chunks: z.int(),
    parts: z.int(),
    jsonBytes: z.int(),
    gzipBytes: z.int(),
  })
  .readonly();

/** What the store itself says of a run, each bucket counted where its facts lie. */
export type Tally = z.output<typeof tallyRow>;

/** The sums behind a run's report. */
export interface TallyStore {
  /** Over committed stagings; with `staged` over those that wait to be sent, too. */
  tally(input: { readonly runId: string; readonly staged: boolean }): Tally;
}

/** The tallies of a SQLite store. */
export function createTallyStore(db: Database): TallyStore {
  const select = db.prepare(
    `with counted as (
       select * from sends where run_id = $runId and (state in ('committed', 'cut') or ($staged and state = 'staged'))
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

import { z } from "zod";

import { stagingRow } from "../../contract/sends/stagings.ts";
import { type UnderWayStore } from "../../contract/sends/under-way.ts";
import { toJson } from "../../store/json.ts";
import type { Database } from "../database.ts";
import { all } from "../database.ts";
import { stagingColumns } from "./stagings.ts";

const countsRow = z.object({
  read: z.int(),
  records: z.int(),
  unchanged: z.int(),
  filtered: z.int(),
  rejected: z.int(),
});

/** What is under way in a SQLite store. */
export function createUnderWayStore(db: Database): UnderWayStore {
  const note = db.prepare(
    `update stagings set to_position = $to, rows_read = $read, records = $records, unchanged = $unchanged,
       filtered = $filtered, rejected = $rejected
     where run_id = $runId and chunk = $chunk and stage = $stage and state = 'staging'`,
  );
  const open = db.prepare(
    `select ${stagingColumns} from stagings where run_id = $runId and state in ('staging', 'staged') order by send`,
  );
  const givenUp = db.prepare(
    `select coalesce(sum(rows_read), 0) as read, coalesce(sum(records - split_rejected), 0) as records,
       coalesce(sum(unchanged), 0) as unchanged, coalesce(sum(filtered), 0) as filtered,
       coalesce(sum(rejected + split_rejected), 0) as rejected
     from stagings s where run_id = $runId and state = 'dropped'
       and not exists (select 1 from stagings n where n.run_id = s.run_id and n.chunk = s.chunk and n.stage > s.stage)`,
  );
  return {
    givenUp: ({ runId }) => countsRow.parse(givenUp.get({ runId })),
    noteStage: ({ counts, to, runId, chunk, stage }) =>
      db.write(() => void note.run({ runId, chunk, stage, ...counts, to: toJson(to) })),
    openStagings: ({ runId }) => all(stagingRow, open, { runId }),
  };
}

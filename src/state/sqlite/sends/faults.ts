import { z } from "zod";

import { type FaultStore } from "../../contract/sends/faults.ts";
import { faultForgottenMs } from "../../limits.ts";
import type { Database } from "../database.ts";
import { first } from "../database.ts";

const tally = z.object({ times: z.int(), since: z.number() }).readonly();

/** The faults of a SQLite store. */
export function createFaultStore(db: Database): FaultStore {
  const thisFault = "run_id = $runId and chunk = $chunk and fault = $fault";
  const add = db.prepare(
    `insert into faults (run_id, chunk, fault, times, since, last)
     values ($runId, $chunk, $fault, 1, $nowMs, $nowMs)
     on conflict do update set last = $nowMs,
       times = case when $nowMs - last > $forgottenMs then 1 else times + 1 end,
       since = case when $nowMs - last > $forgottenMs then $nowMs else min(since, $nowMs) end
     returning times, since`,
  );
  const select = db.prepare(`select times, since from faults where ${thisFault}`);
  const clear = db.prepare(`delete from faults where ${thisFault}`);
  return {
    countFault: (input) =>
      db.write(() => {
        const { times, since } = first(tally, add, { ...input, forgottenMs: faultForgottenMs }) ?? {
          times: 1,
          since: input.nowMs,
        };
        return { times, forMs: input.nowMs - since };
      }),
    faultTimes: (input) => first(tally, select, input)?.times ?? 0,
    clearFault: (input) => db.write(() => void clear.run(input)),
  };
}

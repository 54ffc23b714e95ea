import { z } from "zod";

import type { Database } from "./database.ts";
import { all, count } from "./database.ts";
import { createDoubts } from "./doubts.ts";
import type { Ranges } from "./ranges.ts";
import { createRequests, type RequestWindow, type Sender } from "./requests.ts";
import type { StageName } from "./sends.ts";

type PartName = StageName & { readonly part: number };

const partRow = z.object({ part: z.int() });

/** Notes the request of a part that is about to leave, and what it puts in doubt; answers the request's number. To be called inside a transaction. */
export function createNoting(
  db: Database,
  known: (name: PartName) => { readonly attempts: number; readonly ranges: Ranges },
): (name: PartName & { readonly send: number }, sender: Sender & RequestWindow) => number {
  const makeSet = db.prepare(
    "insert or ignore into fingerprint_sets (target, sync) select target, sync from runs where run_id = $runId",
  );
  const set = db.prepare(
    "select id from fingerprint_sets join runs using (target, sync) where run_id = $runId",
  );
  const family = db.prepare(
    `with recursive up (part) as (
       select $part union
       select parent from up join receipts using (part)
       where run_id = $runId and chunk = $chunk and stage = $stage and parent is not null)
     select part from up`,
  );
  const doubts = createDoubts(db);
  const requests = createRequests(db);
  return (name, { now, stream, ...sender }) => {
    const { runId, send, part } = name;
    makeSet.run({ runId });
    const setId = count(set, { runId });
    const { attempts: attempt, ranges: sent } = known(name);
    const ancestors = all(partRow, family, name).map((row) => row.part);
    doubts.leave({ setId, stream, runId, send, part, ancestors, ranges: sent }, now);
    return requests.begin({ setId, stream, send, part, attempt, now, ...sender });
  };
}

import { z } from "zod";

import { jsonColumn } from "../../contract/json-column.ts";
import { type BackfillStore, planRow } from "../../contract/runs/backfills.ts";
import type { Database } from "../database.ts";
import { all, first, toJson } from "../database.ts";

const spanRow = z.object({ from: jsonColumn, to: jsonColumn });

/** The backfills of a SQLite store. */
export function createBackfillStore(db: Database): BackfillStore {
  const isStaged = db.prepare("select 1 as one from stagings where run_id = $runId limit 1");
  const put = db.prepare(
    "insert or replace into plans (run_id, plan, samples) values ($runId, $plan, $samples)",
  );
  const planRun = db.prepare(
    `update runs set config_hash = $configHash, places_are_lines = $placesAreLines, checkpoint_before = v,
      checkpoint_version = v
     from (select coalesce(max(version), 0) as v from runs r left join checkpoints using (target, sync) where
       r.run_id = $runId)
     where run_id = $runId`,
  );
  const clear = db.prepare("delete from lanes where run_id = $runId");
  const add = db.prepare(
    "insert into lanes (run_id, lane, from_position, to_position) values ($runId, $lane, $from, $to)",
  );
  const select = db.prepare("select plan, samples from plans where run_id = $runId");
  const spans = db.prepare(
    `select from_position as "from", to_position as "to" from lanes where run_id = $runId order by lane`,
  );
  return {
    putPlan: ({ runId, plan, samples, spans: lanes, placesAreLines = false }) =>
      db.write(() => {
        if (isStaged.get({ runId }) !== undefined) return;
        put.run({ runId, plan: JSON.stringify(plan), samples: JSON.stringify(samples) });
        const { config_hash: configHash } = plan;
        planRun.run({ runId, configHash, placesAreLines: Number(placesAreLines) });
        clear.run({ runId });
        for (const [index, { from, to }] of lanes.entries()) {
          add.run({ runId, lane: index + 1, from: toJson(from), to: toJson(to) });
        }
      }),
    plan: (runId) => first(planRow, select, { runId }),
    laneSpans: (runId) => all(spanRow, spans, { runId }),
  };
}

import { z } from "zod";

import type { BackfillPlan } from "../backfill/plan.ts";
import type { Database } from "./database.ts";
import { all, first, jsonColumn, toJson } from "./database.ts";

const spanRow = z.object({ from: jsonColumn, to: jsonColumn });

/** The span of a lane; null is the source's beginning or end. */
export type LaneSpan = { readonly from: unknown; readonly to: unknown };

const planRow = z.object({
  plan: jsonColumn.pipe(z.custom<BackfillPlan>((value) => typeof value === "object")),
  samples: jsonColumn.pipe(z.array(z.string())),
});

/** A plan as it was frozen, and sample records as JSON. */
export type StoredPlan = Readonly<z.output<typeof planRow>>;

/** Backfills: what was planned, and the spans of their lanes, which hold keys and so stay out of Temporal (I4). */
export interface BackfillStore {
  /**
   * Freezes a plan: it replaces the run's earlier one with all of its lanes, and what the run says of its configuration and of the
   * checkpoint, unless something of the run was staged already.
   */
  putPlan(
    input: StoredPlan & {
      readonly runId: string;
      readonly spans: readonly LaneSpan[];
      /** Of the run's connector. */
      readonly placesAreLines?: boolean | undefined;
    },
  ): void;
  /** Undefined when the run has none. */
  plan(runId: string): StoredPlan | undefined;
  /** In the order of the lanes; none for a run that is not a backfill. */
  laneSpans(runId: string): LaneSpan[];
}

/** The backfills of a SQLite store. */
export function createBackfillStore(db: Database): BackfillStore {
  const isStaged = db.prepare("select 1 as one from sends where run_id = $runId limit 1");
  const put = db.prepare(
    "insert or replace into plans (run_id, plan, samples) values ($runId, $plan, $samples)",
  );
  const planRun = db.prepare(
    `update runs set config_hash = $configHash, places_are_lines = $placesAreLines, checkpoint_before = v, checkpoint_version = v
     from (select coalesce(max(version), 0) as v from runs r left join checkpoints using (target, sync) where r.run_id = $runId)
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

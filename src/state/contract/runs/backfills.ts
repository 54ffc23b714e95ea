import { z } from "zod";

import type { BackfillPlan } from "../../../backfill/plan.ts";
import { jsonColumn } from "../json-column.ts";

/** The span of a lane; null is the source's beginning or end. */
export type LaneSpan = { readonly from: unknown; readonly to: unknown };

/** A plan as stored; plan and samples are JSON. */
export const planRow = z.object({
  plan: jsonColumn.pipe(z.custom<BackfillPlan>((value) => typeof value === "object")),
  samples: jsonColumn.pipe(z.array(z.string())),
});

/** A plan as it was frozen, and sample records as JSON. */
export type StoredPlan = Readonly<z.output<typeof planRow>>;

/** Backfills: what was planned, and the spans of their lanes, which hold keys and so stay out of Temporal (I4). */
export interface BackfillStore {
  /**
   * Freezes a plan: replaces the run's earlier plan with all of its lanes, and what the run says about its
   * configuration and the checkpoint. Does nothing if the run has staged anything.
   */
  putPlan(
    input: StoredPlan & {
      readonly runId: string;
      readonly spans: readonly LaneSpan[];
      /** As the run's connector has it. */
      readonly placesAreLines?: boolean | undefined;
    },
  ): void;
  /** Undefined when the run has none. */
  plan(runId: string): StoredPlan | undefined;
  /** In the order of the lanes; empty for a run that is not a backfill. */
  laneSpans(runId: string): LaneSpan[];
}

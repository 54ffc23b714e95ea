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
   * Freezes a plan: it replaces the run's earlier one with all of its lanes, and what the run says of its
   * configuration and of the checkpoint, unless something of the run was staged already.
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

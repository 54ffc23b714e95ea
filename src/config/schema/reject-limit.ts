import { z } from "zod";

import { share } from "./units.ts";

/** The member `reject_limit` of syncs and pulls. */
export const rejectLimitSchema = z
  .strictObject({
    rate: share().prefault("5%").describe("Share of the rows read: 5% or 0.05."),
    rows: z.int().min(0).default(100).describe("Up to this many rejects never stop a run."),
  })
  .prefault({})
  .describe("A run stops once its rejects exceed both.");

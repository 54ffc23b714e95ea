import { z } from "zod";

import { sampleDefault, sampleMax } from "../../verify/limits.ts";
import { scheduleSchema, type ScheduleConfig } from "./schedule.ts";

/** When records of a sync are verified automatically, and how many. */
export type VerifyConfig = {
  readonly schedule: ScheduleConfig;
  readonly sample: number;
  /** Undefined: one call for each record. */
  readonly callsMax: number | undefined;
};

const count = z.int().min(1);

/** `verify:` of a sync. */
export const verifySchema = z
  .strictObject({
    schedule: scheduleSchema,
    sample: count.max(sampleMax).default(sampleDefault).describe("How many records are drawn."),
    calls_max: count
      .optional()
      .describe("Calls of one look at most; one for each record unless given."),
  })
  .transform(({ schedule, sample, calls_max: callsMax }): VerifyConfig => {
    return { schedule, sample, callsMax };
  })
  .describe("When a sample of its records is looked up in the service, which costs calls.");

import { z } from "zod";

import { exampleKinds } from "../sends/changes.ts";

const bound = z.union([
  z.object({ share: z.number() }).readonly(),
  z.object({ count: z.int() }).readonly(),
]);

/** A hold of a run, as its JSON has it. */
export const hold = z
  .object({
    /** Its number among the run's holds, from 1: a run that is approved and then staged differently is held again. */
    number: z.int(),
    /** Digest of what is staged, which an approval names. */
    digest: z.string(),
    /** ISO 8601. */
    since: z.string(),
    /** The guardrails that it breaks; empty if it is held only because it was staged differently than approved. */
    broken: z
      .array(
        z
          .object({
            guardrail: z.string(),
            figure: z.number(),
            of: z.number().nullable(),
            bound,
          })
          .readonly(),
      )
      .readonly(),
    /** Places of the first records that the broken guardrails count, if they name no key. @default none */
    examples: z
      .array(z.object({ kind: z.enum(exampleKinds), place: z.string() }).readonly())
      .readonly()
      .optional(),
    /** When it was approved (ISO 8601); null until then. */
    approvedAt: z.string().nullable(),
  })
  .readonly();

/** What a person has to consent to before a run continues, as names and numbers. */
export type Hold = z.output<typeof hold>;

/** The hold at which a run waits; undefined if it does not wait, or has ended. */
export function openHold({
  hold: held,
  endedAt,
}: {
  readonly hold: Hold | null;
  readonly endedAt: string | null;
}): Hold | undefined {
  return held === null || held.approvedAt !== null || endedAt !== null ? undefined : held;
}

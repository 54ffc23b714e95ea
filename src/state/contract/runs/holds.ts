import { z } from "zod";

import { exampleKinds } from "../sends/changes.ts";

const bound = z.union([
  z.object({ share: z.number() }).readonly(),
  z.object({ count: z.int() }).readonly(),
]);

/** A hold of a run, as its JSON has it. */
export const hold = z
  .object({
    /** Of the run's holds, from 1: what was approved and then staged otherwise is held again. */
    number: z.int(),
    /** Of what is staged: an approval names it. */
    digest: z.string(),
    /** ISO 8601. */
    since: z.string(),
    /** The guardrails that it breaks; none where only what was approved came out otherwise. */
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
    /** Places of the first records that the broken ones count, where they name no key. @default none */
    examples: z
      .array(z.object({ kind: z.enum(exampleKinds), place: z.string() }).readonly())
      .readonly()
      .optional(),
    /** When it was approved (ISO 8601); null until then. */
    approvedAt: z.string().nullable(),
  })
  .readonly();

/** What a run waits for a person's consent for: names and numbers. */
export type Hold = z.output<typeof hold>;

/** The hold that a run waits at; undefined of one that moves, or has ended. */
export function openHold({
  hold: held,
  endedAt,
}: {
  readonly hold: Hold | null;
  readonly endedAt: string | null;
}): Hold | undefined {
  return held === null || held.approvedAt !== null || endedAt !== null ? undefined : held;
}

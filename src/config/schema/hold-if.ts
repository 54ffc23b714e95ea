import { z } from "zod";

import type { Bound, Guardrails } from "../../guardrails/guardrails.ts";

/** A bound: `5%`, or a whole number such as 500. */
function bound(): z.ZodType<Bound, string | number> {
  const expected = "must be a share such as 5%, or a whole number such as 500";
  return z
    .union([z.string(), z.number()], { error: expected })
    .transform((value, context): Bound => {
      const percent = /^(\d+(?:\.\d+)?) ?%$/.exec(String(value))?.[1];
      if (percent !== undefined) {
        const share = Number(percent) / 100;
        if (share <= 1) return { share };
        context.addIssue("must be between 0% and 100%");
      } else if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) {
        return { count: value };
      } else context.addIssue(expected);
      return z.NEVER;
    });
}

const text = z.string().min(1);

/** The member `hold_if` of a sync. */
export const holdIfSchema = z
  .strictObject({
    rejected_above: bound().optional().describe("Rejects: 2% of the rows read, or a number."),
    changed_above: bound()
      .optional()
      .describe("Changed and unknown records: 30% of the known records that it read, or a number."),
    new_above: bound()
      .optional()
      .describe("New records: 20% of the known records that it read, or a number."),
    vanished_above: bound()
      .optional()
      .describe(
        "Known records that are not in the source any more: 5% of those that were there before, or a number.",
      ),
    rows_below: bound()
      .optional()
      .describe("Rows read: 80% of those of the last run that came to its end, or a number."),
    field_changed_above: z
      .record(text, bound())
      .prefault({})
      .describe(
        "Changed records that differ in a field, by its path: 5% of the known records that it read, or a number.",
      ),
  })
  .describe("What holds a run for a person's consent, before anything of it leaves.");

/** `hold_if` as a run uses it; undefined where nothing can hold the run. */
export function assembleHoldIf(
  written: z.output<typeof holdIfSchema> | undefined,
): Guardrails | undefined {
  if (written === undefined) return undefined;
  const guardrails = {
    rejectedAbove: written.rejected_above,
    changedAbove: written.changed_above,
    newAbove: written.new_above,
    vanishedAbove: written.vanished_above,
    rowsBelow: written.rows_below,
    fieldChangedAbove: written.field_changed_above,
  };
  const { fieldChangedAbove: fields, ...others } = guardrails;
  const isAny = Object.values(others).some((one) => one !== undefined);
  return isAny || Object.keys(fields).length > 0 ? guardrails : undefined;
}

import { z } from "zod";

import { timeZoneFault } from "../config/schema/time-zone.ts";

const members = z.record(z.string(), z.unknown());

const rejectCode = z.string().min(1).describe("A reject code of docs/errors.md.");

const outcome = {
  record: members
    .optional()
    .describe("The record, every field of it; the member that names its stream may be left out."),
  reject: z
    .union([
      rejectCode,
      z.strictObject({
        code: rejectCode,
        field: z.string().optional().describe("The field at fault; left out, it may be any."),
      }),
    ])
    .optional()
    .describe("The code under which the row is rejected."),
  filtered: z.literal(true).optional().describe("The mapping leaves the row out."),
};

const expectation = z.strictObject(outcome).refine((given) => Object.keys(given).length === 1, {
  error: "needs one of record, reject, filtered",
});

const name = z.string().min(1);

const testCase = z
  .strictObject({
    name: name.describe("What the test shows, for whoever reads that it failed."),
    row: members.optional().describe("One row: its columns."),
    rows: z
      .array(members)
      .min(1)
      .optional()
      .describe("Several rows, which `expect` has in their order."),
    file: z
      .string()
      .min(1)
      .optional()
      .describe("A file of rows, from the folder of the test file; the sync's connector reads it."),
    ...outcome,
    expect: z
      .array(expectation)
      .optional()
      .describe("What becomes of each of `rows` or of `file`."),
  })
  .superRefine((given, context) => {
    const isGiven = (member: string): boolean => Object.hasOwn(given, member);
    const refuse = (message: string, path: readonly string[] = []): void => {
      context.addIssue({ code: "custom", message, path: [...path] });
    };
    const inputs = ["row", "rows", "file"].filter(isGiven);
    const single = ["record", "reject", "filtered"].filter(isGiven);
    if (inputs.length === 0) refuse("needs one of row, rows, file");
    if (inputs.length > 1) refuse(`takes one of ${inputs.join(", ")}, not more`);
    if (single.length > 1) refuse(`takes one of ${single.join(", ")}, not more`);
    const [one] = single;
    if (given.row === undefined && one !== undefined) {
      refuse(`belongs to \`row\`; several rows have \`expect: [{ ${one}: … }, …]\``, [one]);
    }
    if (given.row !== undefined && given.expect !== undefined) {
      refuse("belongs to `rows` and `file`; one row has record, reject or filtered", ["expect"]);
    }
  });

/** A file of tests, such as `tests/*.yaml`. */
export const testFileSchema = z.strictObject({
  sync: name.describe("The sync whose mapping is tested."),
  now: z.iso
    .datetime({
      offset: true,
      error: "must be a date with time and zone, such as 2026-01-31T08:00:00Z",
    })
    .default("2026-01-01T00:00:00Z")
    .describe("What a mapping module takes for the time; the clock stands still."),
  time_zone: z
    .string()
    .superRefine((zone, context) => {
      const message = timeZoneFault(zone);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    })
    .default("UTC")
    .describe("What a mapping module takes for the zone of this machine."),
  cases: z.array(testCase).min(1),
});

/** A case as written. */
export type WrittenCase = z.output<typeof testCase>;

import { z } from "zod";

/** The members of a connection in sluice.yaml, besides `connector:`. Every member has a description. */
export const config = z.strictObject({
  // Yours to change: the members that find your source. A password or a token is `secret()` of sluice/connector: it is
  // never printed.
  file: z.string().min(1).describe("The SQLite file; relative to the folder of sluice.yaml."),
  table: z
    .string()
    .min(1)
    .describe(
      "The table. Its `id` names a row, its `changed` is when: 2026-03-29T00:59:59.000001Z.",
    ),
  overlap_seconds: z
    .int()
    .min(0)
    .default(60)
    .describe("How far a run goes back after the one before, for rows that were written late."),
  // Filled in by sluice, because the member is called `folder`: nobody writes it.
  folder: z.string().optional().describe("The folder that a relative path starts from."),
});

/** The configuration as sluice hands it over. */
export type Config = z.output<typeof config>;

/**
 * Where a read continues: after this row, in the order of (changed, id). Kept as JSON. Both are needed,
 * because many rows may change in the same microsecond.
 */
export const position = z.strictObject({ changed: z.string(), id: z.string() });

/** See `position`. */
export type Position = z.output<typeof position>;

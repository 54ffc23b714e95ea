import { z } from "zod";

import type { Changes } from "../sends/changes.ts";

/** What the stagings of a run counted together; each is a whole number from 0. */
export const tallyRow = z
  .object({
    /** Rows and rejects yielded, by the stagings that count. */
    read: z.int(),
    /** Records of accepted parts; with `staged` those that would be sent. */
    sent: z.int(),
    unchanged: z.int(),
    filtered: z.int(),
    /** Rows of the reject store that belong to the stagings that count. */
    rejected: z.int(),
    /** Records that those stagings wrote, and rows they refused, to check `sent` and `rejected` against. */
    staged: z.int(),
    refused: z.int(),
    /** Those among the refused that were lines of an earlier run, sent once more. */
    again: z.int(),
    chunks: z.int(),
    parts: z.int(),
    jsonBytes: z.int(),
    gzipBytes: z.int(),
  })
  .readonly();

/** What the store itself says about a run, each bucket counted where its facts are kept. */
export type Tally = z.output<typeof tallyRow> & {
  /** Why the records of those stagings were sent; undefined if nobody asked. */
  readonly changes?: Changes | undefined;
};

/** The sums behind a run's report. */
export interface TallyStore {
  /** Over committed stagings; with `staged` over those that wait to be sent, too. */
  tally(input: { readonly runId: string; readonly staged: boolean }): Tally;
}

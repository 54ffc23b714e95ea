import { z } from "zod";

/** What became of results: read = written + unchanged + missing + rejected. */
export type PageCounts = {
  /** Results that came and domains that were refused: whatever the service answered. */
  readonly read: number;
  readonly written: number;
  readonly unchanged: number;
  /** Results without a row, where none may be made. */
  readonly missing: number;
};

/** What a pull counts; each is a whole number from 0. */
export const amounts = z.object({
  read: z.int(),
  written: z.int(),
  unchanged: z.int(),
  missing: z.int(),
  /** The results alone. */
  results: z.int(),
  /** Results, domains and rows that were refused. */
  refused: z.int(),
  pages: z.int(),
  calls: z.int(),
  possiblyPaidTwice: z.int(),
  /** Results that had come before in the same round. */
  repeated: z.int(),
  domainsDone: z.int(),
  domainsRefused: z.int(),
  /** 1 once the run has ended the round. */
  roundsDone: z.int(),
});

/** What a run of a pull adds up. */
export type PullAmounts = Readonly<z.output<typeof amounts>>;

/** What a run of a pull counted, and how large its round is. */
export const pullTallyRow = amounts.extend({
  /** Whether the run continued the round of an earlier one. */
  isContinued: z.int().transform(Boolean),
  /** Rows of the reject store, to check `refused` against. */
  rejected: z.int(),
  /** Domains of the round. */
  domains: z.int(),
});

/** What the store itself says about a run of a pull. */
export type PullTally = Readonly<z.output<typeof pullTallyRow>>;

/** The sums behind a pull's report. */
export interface PullTallyStore {
  /** Undefined when the run never began its pull. */
  pullTally(input: { readonly runId: string }): PullTally | undefined;
}

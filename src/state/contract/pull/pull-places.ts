import { z } from "zod";

import { jsonColumn } from "../json-column.ts";

const flag = z.int().transform(Boolean);

/** Whose place it is: what one service and account answered says nothing of another. */
export type PullName = {
  /** Origin of the base URL and the account; see `targetOf`. */
  readonly target: string;
  readonly pull: string;
};

/** A pull's place as one attempt found it: what it writes counts only while the place is still this one. */
export type PullStep = PullName & { readonly runId: string; readonly version: number };

/** As the store reads it. */
export const placeRow = z
  .object({
    /** Grows by one with every page and every domain: it numbers the steps of a pull. */
    version: z.int(),
    /** The run that began this round. */
    begunBy: z.string(),
    queryHash: z.string(),
    writeHash: z.string(),
    /** Whether the domains of the round are all there; a search has none. */
    isListed: flag,
    /** Number of the domain that is walked; 0 in a search, and before the first. */
    ordinal: z.int(),
    /** Where the walk comes after the last page that was written; null before its first. */
    walk: jsonColumn,
    /** Whether a call for the page behind `walk` left, and nobody knows yet what it brought. */
    isAsking: flag,
    /** Whether the round has ended: the next run begins anew. */
    isDone: flag,
    /** Pages and refused domains that this round has after it. */
    steps: z.int(),
  })
  .readonly();

/** A pull's place as it is in the store. */
export type StoredPlace = z.output<typeof placeRow>;

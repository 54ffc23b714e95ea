import { z } from "zod";

import { jsonColumn } from "../json-column.ts";

const flag = z.int().transform(Boolean);

/** Whose place it is: the answers of one service and account say nothing about another. */
export type PullName = {
  /** Origin of the base URL and the account; see `targetOf`. */
  readonly target: string;
  readonly pull: string;
};

/** A pull's place as one attempt found it; its writes count only while the place is still this one. */
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
    /** Whether all domains of the round are listed; a search has none. */
    isListed: flag,
    /** Number of the domain that is read; 0 in a search, and before the first. */
    ordinal: z.int(),
    /** Where the pass is after the last written page; null before its first page. */
    walk: jsonColumn,
    /** Whether a call for the page after `pass` left, and it is not known yet what it brought. */
    isAsking: flag,
    /** Whether the round has ended: the next run begins anew. */
    isDone: flag,
    /** Pages and refused domains that this round is done with. */
    steps: z.int(),
  })
  // The column keeps the name that older stores have.
  .transform(({ walk: pass, ...place }) => ({ ...place, pass }))
  .readonly();

/** A pull's place as it is in the store. */
export type StoredPlace = z.output<typeof placeRow>;

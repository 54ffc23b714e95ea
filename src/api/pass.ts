import { z } from "zod";

import { ApiContractError } from "../errors.ts";
import type { TooLargeError } from "../errors.ts";
import { emptyPagesMax, extraPagesMax, cursorMax } from "./limits.ts";
import type { SearchPage } from "./search.ts";

const count = z.int().min(0);

/** Reads a stored pass. */
export const passSchema = z
  .object({
    /** Results to ask for with the next page. */
    limit: z.int().min(1),
    /** The cursor of the next page; absent for the first, and once the pass is done. */
    cursor: z.int().min(1).max(cursorMax).optional(),
    /** Pages with at least one result. */
    filledPages: count,
    /** Pages without a result since the last page that had one. */
    emptyPages: count,
    /** Results on the fullest page. */
    fullest: count,
    /** Results so far, those of a wrong shape included. */
    seen: count,
    /** Results of a wrong shape. */
    bad: count.default(0),
    /** Matches as the pages state them: the latest number, and the greatest. */
    total: z.object({ last: count, greatest: count }).readonly().optional(),
    isDone: z.boolean(),
    /** Earlier passes over the same query, which were repeated because results had changed places. */
    earlier: count.default(0),
    /** Facts about the pass that a person should know, at most one of each kind. */
    notes: z.array(z.string()).readonly(),
  })
  .readonly();

/** The state of a pass over the pages of one query: plain JSON, to be stored between two pages. */
export type Pass = z.output<typeof passSchema>;

/** A pass that has not begun; `limit` is the query's. */
export function beginPass(limit: number, earlier = 0): Pass {
  const counts = { filledPages: 0, emptyPages: 0, fullest: 0, seen: 0, bad: 0 };
  return { limit, ...counts, isDone: false, earlier, notes: [] };
}

/** The cursor to ask for the next page with; undefined for the first page, and once the pass is done. */
export function nextCursor({ cursor }: Pass): number | undefined {
  return cursor;
}

/**
 * The pass after one of its pages is stored.
 * @throws ApiContractError when the pages would not end: a cursor that is missing, repeated or smaller, too many pages
 * in a row without a result, or more pages than the total suggests.
 */
export function afterPage(pass: Pass, page: SearchPage): Pass {
  const { meta } = page;
  const results = page.items.length + page.bad.length;
  const isEmpty = results === 0;
  const { cursor: _, ...rest } = pass;
  const after: Pass = {
    ...rest,
    ...totalAfter(pass, meta.total),
    filledPages: pass.filledPages + (isEmpty ? 0 : 1),
    emptyPages: isEmpty ? pass.emptyPages + 1 : 0,
    fullest: Math.max(pass.fullest, results),
    seen: pass.seen + results,
    bad: pass.bad + page.bad.length,
  };
  if (meta.hasNextPage !== true) return ended(after, meta.hasNextPage);
  assertEnds(after);
  return { ...after, cursor: cursorAfter(pass, meta.nextCursor) };
}

/** The note on a pass that ended because its last page did not say whether another follows. */
export const endNotStated = "end not stated";

const totalChanged = "total changed";

function totalAfter(
  { total, notes }: Pass,
  told: number | undefined,
): Pick<Pass, "notes" | "total"> {
  if (told === undefined) return { notes, ...(total === undefined ? {} : { total }) };
  const greatest = Math.max(told, total?.greatest ?? 0);
  const isNews = total !== undefined && total.last !== told;
  return {
    total: { last: told, greatest },
    notes: isNews
      ? [
          // Only the last change, so that a total that never settles does not fill the pass.
          ...notes.filter((note) => !note.startsWith(totalChanged)),
          `${totalChanged} from ${total.last} to ${told}`,
        ]
      : notes,
  };
}

function ended(pass: Pass, hasNextPage: false | undefined): Pass {
  const { seen, total } = pass;
  const notes = [...pass.notes];
  if (hasNextPage === undefined) notes.push(endNotStated);
  if (total !== undefined && total.last !== seen) {
    notes.push(`${seen} results came, the total says ${total.last}`);
  }
  return { ...pass, isDone: true, notes };
}

/** Each page is paid for, so a pass that cannot end is stopped before it asks for the next one. */
function assertEnds({ emptyPages, filledPages, fullest, limit, total }: Pass): void {
  if (emptyPages > emptyPagesMax) {
    throw endless(`${emptyPages} pages in a row without a result, and another is said to follow`);
  }
  if (total === undefined) return;
  // A service may give fewer results than it is asked for, and the API document does not say how few. Pages
  // without a result have their own limit.
  const size = Math.max(1, Math.min(limit, fullest));
  const pagesMax = Math.ceil(total.greatest / size) + extraPagesMax;
  if (filledPages < pagesMax) return;
  throw endless(
    `${filledPages} pages of up to ${size} results for a total of ${total.greatest}, and another is said to follow`,
  );
}

/** Cursors that only grow never repeat; the first page is at 0 (docs/facts/service.md#search). */
function cursorAfter({ cursor = 0 }: Pass, next: number | undefined): number {
  if (next === undefined) throw endless("has_next_page is true, and next_cursor is missing");
  if (next > cursor) return next;
  throw endless(`a cursor loop: next_cursor ${next} came with the page of cursor ${cursor}`);
}

function endless(why: string): ApiContractError {
  return new ApiContractError(`the pages would not end: ${why}`, { mayHaveSucceeded: true });
}

/**
 * The pass with half the results per page, after the service or `pageBytesMax` said that a page is too large.
 * @throws ApiContractError when a page of one result was too large.
 */
export function withSmallerPages(pass: Pass, cause: TooLargeError): Pass {
  const { mayHaveSucceeded } = cause;
  if (pass.limit > 1) return { ...pass, limit: Math.floor(pass.limit / 2) };
  const message = `${cause.message}, for a page of one result`;
  throw new ApiContractError(message, { cause, mayHaveSucceeded });
}

import { z } from "zod";

import { ApiContractError } from "../errors.ts";
import { pageRowsMax } from "../limits.ts";
import { apiCall } from "./api-call.ts";
import { readAccepted } from "./classify.ts";
import type { ApiContext } from "./context.ts";
import { endpoints } from "./endpoints.ts";
import { cursorMax } from "./limits.ts";
import { readResult } from "./results.ts";
import type { Result, Searchable } from "./results.ts";

/** A value that a filter compares with; sent as it is given. */
type FilterValue = string | number | boolean;

/** What to search for (docs/facts/service.md#search). */
export type SearchQuery = {
  /** Results of one page. */
  readonly limit: number;
  readonly search?: string | undefined;
  readonly filters?:
    | readonly {
        readonly property: string;
        readonly operator: string;
        readonly value: FilterValue | readonly FilterValue[];
      }[]
    | undefined;
  readonly filterLogic?: "AND" | "OR" | undefined;
  readonly sort?:
    | readonly { readonly sort_by: string; readonly sort_order: "asc" | "desc" }[]
    | undefined;
  /** The company whose job postings are searched: required for them, and for nothing else. */
  readonly domain?: string | undefined;
};

/** One page to ask for. */
export type SearchPageInput = {
  readonly of: Searchable;
  readonly query: SearchQuery;
  /** Undefined asks for the first page. */
  readonly cursor: number | undefined;
  readonly signal: AbortSignal;
};

/** One page of results, in the order in which they came. */
export type SearchPage = {
  readonly items: readonly Result[];
  /**
   * Entries without the shape of a result, left out of `items`: the index in the page as it came, from 0, and the
   * reason.
   */
  readonly bad: readonly { readonly index: number; readonly reason: string }[];
  /** docs/facts/service.md#pages: each member may be absent. */
  readonly meta: {
    readonly limit?: number | undefined;
    readonly total?: number | undefined;
    readonly hasNextPage?: boolean | undefined;
    readonly nextCursor?: number | undefined;
  };
};

/** A value that makes no sense counts as absent: it must not cost a page that is paid for. */
const count = z.int().min(0).nullish().catch(undefined);
const pageAnswer = z.object({
  data: z.array(z.unknown()),
  meta: z.object({
    limit: count,
    total: count,
    has_next_page: z.boolean().nullish(),
    next_cursor: z.unknown().optional(),
  }),
});
const cursorOfAnswer = z
  .int()
  .min(-cursorMax - 1)
  .max(cursorMax);

/**
 * Asks for one page of results, which costs credits, even when it is repeated.
 * @throws ApiContractError when the next cursor is not an int32, or there are more than `pageRowsMax` results;
 * TooLargeError when the page exceeds `pageBytesMax`, or for a 413.
 */
export async function search(
  context: ApiContext,
  { of, query, cursor, signal }: SearchPageInput,
): Promise<SearchPage> {
  const path = endpoints.search.path[of];
  const body = Buffer.from(JSON.stringify(bodyOf(of, query, cursor)));
  const call = apiCall(context, { endpoint: "search", path, body, signal });
  const { data: answer } = readAccepted(call, await context.http.send(call), pageAnswer);
  const { length: results } = answer.data;
  // No request asks for a page this long, and everything written for one page is one transaction of the store.
  if (results > pageRowsMax) {
    const message = `${call.what}: 200, but with ${results} results for a page of ${query.limit}`;
    throw new ApiContractError(message, { mayHaveSucceeded: true });
  }
  const { limit, total, has_next_page: hasNextPage, next_cursor: next } = answer.meta;
  const nextCursor = cursorOfAnswer.safeParse(next);
  if (!nextCursor.success && hasNextPage === true && next !== undefined && next !== null) {
    const message = `${call.what}: 200, but meta.next_cursor is not an integer of 32 bits`;
    throw new ApiContractError(message, { mayHaveSucceeded: true });
  }
  return {
    ...sorted(of, answer.data),
    meta: {
      limit: limit ?? undefined,
      total: total ?? undefined,
      hasNextPage: hasNextPage ?? undefined,
      nextCursor: nextCursor.data,
    },
  };
}

function bodyOf(of: Searchable, query: SearchQuery, cursor: number | undefined): object {
  const { filterLogic: logic, ...rest } = query;
  // The API spells this member in two ways.
  const logicMember = of === "job_postings" ? { filter_logic: logic } : { filterLogic: logic };
  return { ...rest, ...logicMember, cursor };
}

function sorted(of: Searchable, data: readonly unknown[]): Pick<SearchPage, "bad" | "items"> {
  const items: Result[] = [];
  const bad: { index: number; reason: string }[] = [];
  for (const [index, value] of data.entries()) {
    const read = readResult(of, value);
    if ("item" in read) items.push(read.item);
    else bad.push({ index, reason: read.reason });
  }
  return { items, bad };
}

import type { ApiClient } from "../../../src/api/client.ts";
import { afterPage, beginWalk, nextCursor, withSmallerPages } from "../../../src/api/pass.ts";
import type { Walk } from "../../../src/api/pass.ts";
import type { SearchPage, SearchPageInput } from "../../../src/api/search.ts";
import { TooLargeError } from "../../../src/errors.ts";

/**
 * The pages of a query, each with the walk after it, from `from` or otherwise from the first. Ends after the last page;
 * repeats a request only for a page that is too large. If it throws, the walk of the previous page is unchanged.
 * @throws what `search`, `afterPage` and `withSmallerPages` throw.
 */
export async function* pages(
  client: Pick<ApiClient, "search">,
  asked: Omit<SearchPageInput, "cursor"> & { readonly from?: Walk | undefined },
): AsyncGenerator<{ readonly page: SearchPage; readonly walk: Walk }, void, undefined> {
  const { of, query, signal } = asked;
  let walk = asked.from ?? beginWalk(query.limit);
  while (!walk.isDone) {
    const { limit } = walk;
    const next = { of, query: { ...query, limit }, cursor: nextCursor(walk), signal };
    let page: SearchPage;
    try {
      page = await client.search(next);
    } catch (error) {
      if (!(error instanceof TooLargeError)) throw error;
      walk = withSmallerPages(walk, error);
      continue;
    }
    walk = afterPage(walk, page);
    yield { page, walk };
  }
}

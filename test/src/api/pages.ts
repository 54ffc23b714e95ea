import type { ApiClient } from "../../../src/api/client.ts";
import { afterPage, beginPass, nextCursor, withSmallerPages } from "../../../src/api/pass.ts";
import type { Pass } from "../../../src/api/pass.ts";
import type { SearchPage, SearchPageInput } from "../../../src/api/search.ts";
import { TooLargeError } from "../../../src/errors.ts";

/**
 * The pages of a query, each with the pass after it, from `from` or otherwise from the first. Ends after the last page;
 * repeats a request only for a page that is too large. If it throws, the pass of the previous page is unchanged.
 * @throws what `search`, `afterPage` and `withSmallerPages` throw.
 */
export async function* pages(
  client: Pick<ApiClient, "search">,
  asked: Omit<SearchPageInput, "cursor"> & { readonly from?: Pass | undefined },
): AsyncGenerator<{ readonly page: SearchPage; readonly pass: Pass }, void, undefined> {
  const { of, query, signal } = asked;
  let pass = asked.from ?? beginPass(query.limit);
  while (!pass.isDone) {
    const { limit } = pass;
    const next = { of, query: { ...query, limit }, cursor: nextCursor(pass), signal };
    let page: SearchPage;
    try {
      page = await client.search(next);
    } catch (error) {
      if (!(error instanceof TooLargeError)) throw error;
      pass = withSmallerPages(pass, error);
      continue;
    }
    pass = afterPage(pass, page);
    yield { page, pass };
  }
}

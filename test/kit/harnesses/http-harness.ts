import type { PullHarness } from "../../../testing/harness.ts";
import { ApiServer, harnessOf, type ApiStyle } from "../../connectors/http/api-server.ts";
import { CaseApi } from "./http-api.ts";
import { httpCases } from "./http-cases.ts";

const styles: readonly (ApiStyle & { readonly name: string })[] = [
  { name: "all of it, by cursor", pages: "cursor" },
  { name: "all of it, by page number", pages: "number", login: "basic" },
  { name: "what changed, by cursor", pages: "cursor", since: "from", pageRows: 20 },
  {
    name: "what changed, by page number, without the time asked for",
    pages: "number",
    since: "after",
    pageRows: 20,
  },
];

/** The first API has the cases, and gives a date in `Retry-After` where the others give seconds. */
async function withCases(harness: PullHarness, server: ApiServer): Promise<PullHarness> {
  const api = await CaseApi.listen();
  return {
    ...harness,
    cases: httpCases(api),
    throttle: async (afterMs) => {
      // A date has no fractions of a second, and some of the time is over when it is read.
      const until = new Date(Math.ceil((Date.now() + afterMs) / 1_000) * 1_000 + 5_000);
      return server.fault({ retryAfter: until.toUTCString() });
    },
    close: async () => {
      await api.close();
      await harness.close?.();
    },
  };
}

/** APIs, by what is read from them and how. */
export async function httpHarnesses(): Promise<
  readonly { readonly name: string; readonly harness: PullHarness }[]
> {
  return await Promise.all(
    styles.map(async (style, index) => {
      const server = await new ApiServer(style).listen();
      const harness = harnessOf(server);
      return {
        name: style.name,
        harness: index === 0 ? await withCases(harness, server) : harness,
      };
    }),
  );
}

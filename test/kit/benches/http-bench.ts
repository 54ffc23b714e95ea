import type { PullBench } from "../../../testing/bench.ts";
import { ApiServer, benchOf, type ApiStyle } from "../../connectors/http/api-server.ts";
import { SpecimenApi } from "./http-api.ts";
import { httpSpecimens } from "./http-specimens.ts";

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

/** The first of them has the specimens, and says until when it wants to be left alone where the others say how long. */
async function withSpecimens(bench: PullBench, server: ApiServer): Promise<PullBench> {
  const api = await SpecimenApi.listen();
  return {
    ...bench,
    specimens: httpSpecimens(api),
    throttle: async (afterMs) => {
      // A date has no fractions of a second, and some are over when it is read.
      const until = new Date(Math.ceil((Date.now() + afterMs) / 1_000) * 1_000 + 5_000);
      return server.fault({ retryAfter: until.toUTCString() });
    },
    close: async () => {
      await api.close();
      await bench.close?.();
    },
  };
}

/** APIs by what is read of them, and how. */
export async function httpBenches(): Promise<
  readonly { readonly name: string; readonly bench: PullBench }[]
> {
  return await Promise.all(
    styles.map(async (style, index) => {
      const server = await new ApiServer(style).listen();
      const bench = benchOf(server);
      return { name: style.name, bench: index === 0 ? await withSpecimens(bench, server) : bench };
    }),
  );
}

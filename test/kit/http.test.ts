import { describe } from "vitest";

import { http } from "../../connectors/http.ts";
import { conform } from "../../testing/conform.ts";
import { ApiServer, benchOf, type ApiStyle } from "../connectors/http/api-server.ts";

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

const cases = await Promise.all(
  styles.map(async (style) => {
    return { name: style.name, bench: benchOf(await new ApiServer(style).listen()) };
  }),
);

describe.each(cases)("$name", ({ bench }) => {
  conform(http, bench);
});

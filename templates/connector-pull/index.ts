import { pagePosition, paginate, pullSource, secret } from "sluice/connector";
import { z } from "zod";

// Yours to change: what a person writes in sluice.yaml. `secret()` is never printed, whatever happens.
const config = z.strictObject({
  url: z.url().describe("The API's address: https://api.example."),
  token: secret().describe("A token of the API."),
});

// Yours to change: the answer of your API, and the member that names its next page.
const answer = z.object({ data: z.array(z.unknown()), next: z.string().nullish() });

/** Reads a list that an API gives in pages. A source of another kind has a `read` of its own: docs/connectors.md. */
export const source = pullSource({
  name: "connector-name",
  config,
  position: pagePosition,
  // The whole list in each run. With `changedBy` below, leave it out: a run then reads what changed since the last.
  restart: () => "each-run",
  read: ({ config: { url, token }, ...request }) =>
    paginate(request, {
      of: url,
      id: "id",
      headers: { authorization: `Bearer ${token.reveal()}` },
      timeoutMs: 10_000,
      fields: { login: "token", address: "url" },
      async fetch({ page, get }) {
        const address = new URL("/rows", url);
        if (page !== "") address.searchParams.set("cursor", page);
        const { data, next } = (await get(address)).json(answer);
        return { items: data, next };
      },
    }),
});

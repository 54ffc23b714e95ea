import { describe, expect, it } from "vitest";
import { z } from "zod";

import { pagePosition, paginate, pullSource, secret } from "../../../connectors/index.ts";
import type { PagedList } from "../../../connectors/paging/paginate.ts";
import { conform } from "../../../testing/conform.ts";
import { someOf } from "../../support/trials.ts";
import { ApiServer, harnessOf } from "../http/api-server.ts";
import { errorOfRead, readList, startServer } from "./support.ts";

const answer = z.object({
  data: z.array(z.unknown()),
  meta: z.object({ next: z.string().nullable() }),
});

/** A connector in the style of docs/connectors.md: an API that returns its companies in pages, by cursor. */
const companies = pullSource({
  name: "companies",
  config: z.strictObject({
    url: z.url().describe("The API's address."),
    token: secret().describe("A token of the API."),
    changed: z.boolean().default(false).describe("Whether only what changed is read."),
  }),
  position: pagePosition,
  restart: ({ changed }) => (changed ? "resume" : "each-run"),
  read: ({ config: { url, token, changed }, ...ask }) =>
    paginate(ask, {
      of: url,
      place: "companies",
      changedBy: changed ? "changed" : undefined,
      headers: { authorization: `Bearer ${token.reveal()}` },
      timeoutMs: 1_000,
      fields: { login: "token", address: "url" },
      async fetch({ page, since, get }) {
        const address = new URL("/v1/companies", url);
        if (page !== "") address.searchParams.set("cursor", page);
        if (since !== "") address.searchParams.set("since", since);
        const { data, meta } = (await get(address)).json(answer);
        return { items: data, next: meta.next };
      },
    }),
});

const styles = [
  { what: "the whole list", changed: false, style: { pages: "cursor" } },
  { what: "what changed", changed: true, style: { pages: "cursor", since: "from", pageRows: 20 } },
] as const;

describe.each(
  await Promise.all(
    someOf(styles, 2).map(async ({ what, changed, style }) => {
      const server = await new ApiServer(style).listen();
      const { token } = server.config;
      const url = server.origin;
      return { what, harness: { ...harnessOf(server), config: { url, token, changed } } };
    }),
  ),
)("a connector that paginates $what", ({ harness }) => {
  conform(companies, harness);
});

describe("paginate", () => {
  it("asks for numbers from the first one, until a page names no next one", async () => {
    const { seen, get } = await startServer({
      "/?page=7": `[{"id":1},{"id":2}]`,
      "/?page=8": `[{"id":3}]`,
      "/?page=9": `[]`,
    });
    const rows = await readList({
      first: 7,
      fetch: async ({ page, get: ask }) => {
        const items = (await ask(get(`/?page=${page}`))).json(z.array(z.unknown()));
        return { items, next: items.length === 0 ? undefined : Number(page) + 1 };
      },
    });
    expect(rows).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(seen).toEqual(["/?page=7", "/?page=8", "/?page=9"]);
  });

  it.each([
    { how: "one cursor", first: "", next: () => "same" },
    { how: "numbers that the API ignores", first: 1, next: (page: string) => Number(page) + 1 },
    {
      how: "a circle of three",
      first: "a",
      next: (page: string) => ({ a: "b", b: "c", c: "a" })[page],
    },
  ])("notices a list that never ends: $how", async ({ first, next }) => {
    let pages = 0;
    const error = await errorOfRead({
      first,
      fields: { next: "cursor" },
      fetch: async ({ page }) => {
        pages += 1;
        if (pages > 50) throw new Error("it is read for ever");
        return { items: [{ id: "1" }], next: next(page) };
      },
    });
    expect(error).toMatchObject({
      code: "ConfigError",
      field: "cursor",
      message: "one cursor or page comes again and again",
    });
    expect(pages).toBeLessThan(9);
  });

  it("reads pages of other names that hold the same, and pages without an item", async () => {
    const lists = [[{ id: "1" }], [{ id: "1" }], [], [], [{ id: "2" }]];
    const rows = await readList({
      first: "p0",
      fetch: async ({ page }) => {
        const index = Number(page.slice(1));
        return { items: lists[index] ?? [], next: index < 4 ? `p${index + 1}` : null };
      },
    });
    expect(rows.map(({ id }) => id)).toEqual(["1", "1", "2"]);
  });

  it("says where an answer has another form, and nothing of the answer", async () => {
    const { get } = await startServer({ "/": `{"data":"canary-cell"}` });
    const error = await errorOfRead({
      fields: { address: "url" },
      fetch: async ({ get: ask }) => ({ items: (await ask(get("/"))).json(answer).data }),
    });
    expect(error).toMatchObject({ code: "ConfigError", field: "url" });
    expect(String(error)).toContain("data is not as expected: Invalid input: expected array");
    expect(String(error)).not.toContain("canary");
  });

  it.each([
    { fields: { login: "key" }, hint: "Check key." },
    { fields: { login: "key", logins: "key and account" }, hint: "Check key and account." },
    { fields: undefined, hint: "Check what the connection logs in with." },
  ])("names what a connector logs in with, where that is refused: $hint", async (refused) => {
    const { fields, hint } = refused;
    const { get } = await startServer({}, {}, 401);
    const error = await errorOfRead({
      fields,
      fetch: async ({ get: ask }) => ({ items: (await ask(get("/"))).json(answer).data }),
    });
    expect(error).toMatchObject({ code: "AuthFailed", field: fields?.login, hint });
  });

  it("says of an API that is not there to look at its address", async () => {
    const error = await errorOfRead({
      fetch: async ({ get }) => ({ items: (await get("http://127.0.0.1:1/")).json(answer).data }),
    });
    const hint = "Check the address, and whether it can be reached from here.";
    expect(error).toMatchObject({ code: "Unavailable", hint });
  });

  it("sends a login to no other server, whatever address the API names as its next page", async () => {
    const other = await startServer({ "/two": `[{"id":2}]` });
    const { get } = await startServer({ "/": `[{"id":1}]` }, { "/": other.get("/two") });
    const list = (headers: Readonly<Record<string, string | undefined>>): PagedList => ({
      first: get("/"),
      headers,
      fields: { address: "url" },
      fetch: async ({ page, get: ask }) => {
        const answered = await ask(page);
        return { items: answered.json(z.array(z.unknown())), next: answered.headers["x-next"] };
      },
    });
    expect(await errorOfRead(list({ authorization: "Bearer hunter2" }))).toMatchObject({
      code: "ConfigError",
      field: "url",
      message: `GET ${other.get("/two")}: the login is for ${get("")} alone`,
    });
    expect(other.seen).toEqual([]);
    // Without a login there is nothing to keep.
    expect(await readList(list({ authorization: undefined }))).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it("gives an answer's headers, which may name the next page", async () => {
    const { get } = await startServer({ "/": `[{"id":1}]`, "/two": `[{"id":2}]` }, { "/": "/two" });
    const rows = await readList({
      first: "/",
      fetch: async ({ page, get: ask }) => {
        const answered = await ask(get(page));
        return { items: answered.json(z.array(z.unknown())), next: answered.headers["x-next"] };
      },
    });
    expect(rows).toEqual([{ id: 1 }, { id: 2 }]);
  });
});

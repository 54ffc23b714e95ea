import { describe, expect, it } from "vitest";

import { pageBytesMax, cursorMax } from "../../../src/api/limits.ts";
import type { SearchQuery } from "../../../src/api/search.ts";
import {
  ApiAuthError,
  ApiContractError,
  CreditsExhaustedError,
  mayHaveSucceeded,
  OutcomeUnknownError,
  TooLargeError,
} from "../../../src/errors.ts";
import { pageRowsMax } from "../../../src/limits.ts";
import { numbers } from "../../support/sequences.ts";
import { someOf } from "../../support/trials.ts";
import {
  canaryKey,
  clientOf,
  firstPage,
  foundAccount,
  json,
  notingLimiter,
  pageOf,
  rejection,
  startServer,
} from "./support.ts";
import type { TestServer } from "./support.ts";

const search = { kind: "api", family: "search" };

async function answering(body: unknown, status = 200): Promise<TestServer> {
  return await startServer((response) => json(response, status, body));
}

const query = {
  limit: 50,
  search: "café",
  filters: [
    { property: "industry", operator: "IN", value: ["software", "fin\u0000tech"] },
    { property: "employees_count", operator: "BETWEEN", value: [10, 2.5e3] },
    { property: "has_left_company", operator: "IS", value: false },
  ],
  filterLogic: "OR",
  sort: [{ sort_by: "name", sort_order: "asc" }],
} as const satisfies SearchQuery;

describe("search", () => {
  it.each([
    ["accounts", "/api/search/accounts"],
    ["persons", "/api/search/persons"],
  ] as const)("asks for %s at %s, with the key and the query as it is given", async (of, path) => {
    const { url, seen } = await answering(pageOf([]));
    const rateLimiter = notingLimiter();
    const client = clientOf(new URL("/api", url), { rateLimiter });
    await client.search({ ...firstPage, of, query, cursor: 150 });
    expect(seen).toMatchObject([
      {
        method: "POST",
        path,
        headers: { "content-type": "application/json", "x-api-key": canaryKey },
      },
    ]);
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ ...query, cursor: 150 });
    expect(rateLimiter.notes).toEqual([
      ["acquire", search],
      ["succeeded", search],
    ]);
  });

  it("spells the logic of job postings as their endpoint does", async () => {
    const { url, seen } = await answering(pageOf([]));
    const jobs = { limit: 20, domain: "acme.example", filterLogic: "AND" } as const;
    await clientOf(url).search({ ...firstPage, of: "job_postings", query: jobs });
    expect(seen[0]?.path).toBe("/enrichment/job-postings");
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({
      limit: 20,
      domain: "acme.example",
      filter_logic: "AND",
    });
  });

  it("asks for a first page without a cursor", async () => {
    const { url, seen } = await answering(pageOf([]));
    await clientOf(url).search(firstPage);
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ limit: 100 });
  });

  it("reads what came, members that nobody knows included", async () => {
    const item = { ...foundAccount, brand_new: { a: [1, null] } };
    const meta = { limit: 100, total: 250, has_next_page: true, next_cursor: 100, took_ms: 3 };
    const { url } = await answering({ ...pageOf([item], meta), request: "r-1" });
    expect(await clientOf(url).search(firstPage)).toEqual({
      items: [item],
      bad: [],
      meta: { limit: 100, total: 250, hasNextPage: true, nextCursor: 100 },
    });
  });

  it.each([
    {},
    { limit: null, total: null, has_next_page: null, next_cursor: null },
    { limit: -1, total: -1 },
    { limit: "all", total: 1.5 },
  ])("takes any member of meta to be absent: %j", async (meta) => {
    const { url } = await answering(pageOf([foundAccount], meta));
    expect((await clientOf(url).search(firstPage)).meta).toEqual({});
  });

  it("leaves a poison item out and says which one it was and why", async () => {
    const poison = { ...foundAccount, mk_id: 7, name: "secret" };
    const { url } = await answering(pageOf([foundAccount, poison, null, foundAccount]));
    const { items, bad } = await clientOf(url).search(firstPage);
    expect(items).toEqual([foundAccount, foundAccount]);
    expect(bad.map(({ index }) => index)).toEqual([1, 2]);
    expect(bad[0]?.reason).toBe("mk_id: Invalid input: expected string, received number");
    expect(JSON.stringify(bad)).not.toContain("secret");
  });

  it.each([cursorMax - 1, cursorMax])("takes the next cursor %i", async (next) => {
    const { url } = await answering(pageOf([], { has_next_page: true, next_cursor: next }));
    expect((await clientOf(url).search(firstPage)).meta.nextCursor).toBe(next);
  });

  it.each([cursorMax + 1, "100", 1.5, true, {}])(
    "stops at the next cursor %j, which is not an int32",
    async (next) => {
      const { url } = await answering(pageOf([], { has_next_page: true, next_cursor: next }));
      const error = await rejection(clientOf(url).search(firstPage));
      expect(error).toBeInstanceOf(ApiContractError);
      expect(mayHaveSucceeded(error)).toBe(true);
    },
  );

  it.each([pageRowsMax - 1, pageRowsMax])("takes a page of %i results", async (results) => {
    const { url } = await answering(pageOf(numbers(results).map(() => foundAccount)));
    expect((await clientOf(url).search(firstPage)).items).toHaveLength(results);
  });

  it("stops at a page of more results than any is asked for", async () => {
    const { url } = await answering(pageOf(numbers(pageRowsMax + 1)));
    const error = await rejection(clientOf(url).search(firstPage));
    expect(error).toBeInstanceOf(ApiContractError);
    expect(mayHaveSucceeded(error)).toBe(true);
  });

  it("does not look at the next cursor of the last page", async () => {
    const { url } = await answering(pageOf([], { has_next_page: false, next_cursor: "none" }));
    expect((await clientOf(url).search(firstPage)).meta).toEqual({ hasNextPage: false });
  });

  it.each([
    [{ data: {}, meta: {} }, "data"],
    [{ data: [] }, "meta"],
    [{ data: [], meta: { has_next_page: "yes" } }, "meta.has_next_page"],
    [[], "the answer"],
  ])(
    "asks once more after a page of another shape, because each may be paid for: %j",
    async (body, where) => {
      const { url } = await answering(body);
      const error = await rejection(clientOf(url).search(firstPage));
      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(String(error)).toContain(`POST /search/accounts: 200, but ${where}: `);
      expect(error).toMatchObject({
        retryBudget: { timesMax: 2, becomes: { code: "ContractBroken", mayHaveSucceeded: true } },
      });
    },
  );

  it.each([400, 404, 422])(
    "says of a query that it met a %i, and that no page is in doubt",
    async (status) => {
      const { url } = await answering({ message: "no company acme.example" }, status);
      const error = await rejection(clientOf(url).search(firstPage));
      expect(error).toBeInstanceOf(ApiContractError);
      expect(error).toMatchObject({ status, mayHaveSucceeded: false });
      // A domain comes from a source's row (I4).
      expect(error).toHaveProperty("message", `POST /search/accounts: ${status}`);
    },
  );

  it("says what of a query is wrong, and where", async () => {
    const loc = ["body", "filters", 0, "operator"];
    const detail = [{ loc, msg: "secret", type: "enum", input: "secret" }];
    const { url } = await answering({ detail }, 422);
    expect(await rejection(clientOf(url).search(firstPage))).toMatchObject({
      message: "POST /search/accounts: 422 enum at body.filters.0.operator",
      hint: "Check the pull's search, filters and sort.",
    });
  });

  it.each([
    [202, true],
    [409, false],
  ])("says of a page answered %i whether it may have been paid for: %s", async (status, paid) => {
    const { url } = await answering({}, status);
    const error = await rejection(clientOf(url).search(firstPage));
    expect(error).toMatchObject({ code: "ContractBroken", status, mayHaveSucceeded: paid });
  });

  it("knows that a page whose status is error may have been paid for", async () => {
    const { url } = await answering({ status: "error", message: "no" });
    const error = await rejection(clientOf(url).search(firstPage));
    expect(error).toMatchObject({ code: "ContractBroken", mayHaveSucceeded: true });
  });

  it("blocks searches alone when their credits are exhausted", async () => {
    const { url } = await answering({ message: "Credits exhausted" }, 429);
    const rateLimiter = notingLimiter();
    const error = await rejection(clientOf(url, { rateLimiter }).search(firstPage));
    expect(error).toBeInstanceOf(CreditsExhaustedError);
    expect(rateLimiter.notes.slice(1)).toEqual([
      ["creditsExhausted", search],
      ["undecided", search],
    ]);
  });

  it("says which setting holds the key that was refused", async () => {
    const { url } = await answering({ message: "Unauthorized" }, 401);
    const error = await rejection(clientOf(url).search(firstPage));
    expect(error).toBeInstanceOf(ApiAuthError);
    expect(error).toMatchObject({
      message: "POST /search/accounts: 401 Unauthorized, check SLUICE_API_KEY (api.api_key)",
    });
    const written = clientOf(url, { apiKeySource: "api.api_key" });
    expect(await rejection(written.search(firstPage))).toMatchObject({
      message: "POST /search/accounts: 401 Unauthorized, check api.api_key",
    });
  });
});

/** A page of exactly this many bytes. */
async function padded(bytes: number): Promise<URL> {
  const page = Buffer.alloc(bytes, " ");
  page.write(JSON.stringify(pageOf([foundAccount])));
  const { url } = await startServer((response) => response.end(page));
  return url;
}

describe("the size of a page", () => {
  it.each(someOf([pageBytesMax, pageBytesMax - 1], 2))("may be %i bytes", async (bytes) => {
    const client = clientOf(await padded(bytes));
    expect((await client.search(firstPage)).items).toHaveLength(1);
  });

  it("may not be one byte more, and the page may have been paid for", async () => {
    const client = clientOf(await padded(pageBytesMax + 1));
    const error = await rejection(client.search(firstPage));
    expect(error).toBeInstanceOf(TooLargeError);
    expect(mayHaveSucceeded(error)).toBe(true);
  });

  it("is too large for the service when it says so, and no page is in doubt", async () => {
    const { url } = await answering({ message: "too large" }, 413);
    const error = await rejection(clientOf(url).search(firstPage));
    expect(error).toBeInstanceOf(TooLargeError);
    expect(mayHaveSucceeded(error)).toBe(false);
  });
});

import { describe, expect, it } from "vitest";

import {
  filtersMax,
  filterValuesMax,
  int32Max,
  searchCharsMax,
  sortItemsMax,
} from "../../../../src/sandbox/limits.ts";
import { account, someText, started } from "../sandbox-client.ts";
import { hiringDomain as domain, paths, type Resource } from "./support.ts";

const resources: readonly Resource[] = ["accounts", "persons", "job_postings"];

function times(count: number, value: unknown): unknown[] {
  return Array.from({ length: count }, () => value);
}

/** Members at the limit, and one beyond it. */
const bounds: readonly (readonly [string, (count: number) => Record<string, unknown>, number])[] = [
  ["limit", (limit) => ({ limit }), 100],
  ["cursor", (cursor) => ({ cursor }), int32Max],
  ["search", (count) => ({ search: "a".repeat(count) }), searchCharsMax],
  [
    "filters",
    (count) => ({
      filters: times(count, { property: "name", operator: "IS_NULL", value: 1 }),
    }),
    filtersMax,
  ],
  [
    "filters",
    (count) => ({ filters: [{ property: "name", operator: "IN", value: times(count, "a") }] }),
    filterValuesMax,
  ],
  [
    "sort",
    (count) => ({ sort: times(count, { sort_by: "name", sort_order: "asc" }) }),
    sortItemsMax,
  ],
];

describe("a search that does not validate", () => {
  it.each(bounds)(
    "is refused above the limit and taken at it: %s of %o",
    async (member, body, max) => {
      const client = await started();
      for (const count of [max - 1, max]) {
        expect((await client.post(paths.accounts, body(count))).status).toBe(200);
      }
      const refused = await client.post(paths.accounts, body(max + 1));
      expect(refused).toMatchObject({
        status: 422,
        body: { detail: [{ msg: someText, type: someText }] },
      });
      expect(JSON.stringify(refused.body)).toContain(`"loc":["body","${member}"`);
    },
  );

  it.each<readonly [Record<string, unknown>, readonly (number | string)[]]>([
    [{ limit: 0 }, ["limit"]],
    [{ limit: "20" }, ["limit"]],
    [{ limit: 1.5 }, ["limit"]],
    [{ cursor: -1 }, ["cursor"]],
    [{ cursor: "20" }, ["cursor"]],
    [{ search: null }, ["search"]],
    [{ filters: {} }, ["filters"]],
    [{ filters: [{ property: "name", operator: "LIKE", value: "a" }] }, ["filters", 0, "operator"]],
    [{ filters: [{ property: "name", operator: "IS" }] }, ["filters", 0, "value"]],
    [{ filters: [{ property: "name", operator: "IS", value: null }] }, ["filters", 0, "value"]],
    [{ filters: [{ operator: "IS", value: "a" }] }, ["filters", 0, "property"]],
    [{ filterLogic: "XOR" }, ["filterLogic"]],
    [{ filter_logic: "OR" }, ["filter_logic"]],
    [{ sort: [{ sort_by: "scores", sort_order: "asc" }] }, ["sort", 0, "sort_by"]],
    [{ sort: [{ sort_by: "name", sort_order: "up" }] }, ["sort", 0, "sort_order"]],
    [{ sort: [{ sort_by: "name" }] }, ["sort", 0, "sort_order"]],
  ])("is refused at its place: %j", async (body, place) => {
    const client = await started();
    expect(await client.post(paths.accounts, body)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", ...place], msg: someText, type: someText }] },
    });
  });

  it.each([
    [{}, "domain"],
    [{ domain: "" }, "domain"],
    [{ domain: "localhost" }, "domain"],
    [{ domain: "https://a.example" }, "domain"],
    [{ domain: `${"a".repeat(246)}.example` }, "domain"],
    [{ domain, filterLogic: "OR" }, "filterLogic"],
  ])("is refused by the enrichment: %o", async (body, member) => {
    const client = await started();
    expect(await client.post(paths.job_postings, body)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", member] }] },
    });
  });

  it("is refused above the limit that is set, which is then the default too", async () => {
    const client = await started({ pageItemsMax: 5 });
    for (const of of resources) {
      expect((await client.post(paths[of], { domain, limit: 6 })).status).toBe(422);
      expect((await client.post(paths[of], { domain, limit: 5 })).status).toBe(200);
      expect(await client.post(paths[of], { domain })).toMatchObject({
        body: { meta: { limit: 5 } },
      });
    }
  });

  it("may have members that nobody knows", async () => {
    const client = await started();
    const filters = [{ property: "name", operator: "IS_NULL", value: 1, note: "a" }];
    expect((await client.post(paths.accounts, { colour: "blue", filters })).status).toBe(200);
    expect(
      (await client.post(paths.job_postings, { domain: `${"a".repeat(245)}.example`, colour: 1 }))
        .status,
    ).toBe(200);
  });
});

describe("a search that is not let in", () => {
  it(
    "is 401 without a key that is accepted, 405 by another method and 404 elsewhere, each with a " +
      "message",
    async () => {
      const client = await started({ apiKeys: ["right"] });
      for (const of of resources) {
        const wrong = await client.post(paths[of], { domain }, { "x-api-key": "wrong" });
        expect(wrong).toMatchObject({ status: 401, body: { message: someText } });
        expect((await client.post(paths[of], { domain }, { "x-api-key": "right" })).status).toBe(
          200,
        );
        expect(await client.get(paths[of])).toMatchObject({
          status: 405,
          body: { message: someText },
        });
      }
      const unknown = await client.post("/search/deals", {});
      expect(unknown).toMatchObject({ status: 404, body: { message: someText } });
    },
  );

  it("is 429 once its credits are used up, by refused and repeated calls too, while ingestion continues", async () => {
    const client = await started({ searchCreditCalls: 3 });
    await client.post(paths.accounts, {});
    await client.post(paths.accounts, {});
    await client.post(paths.job_postings, {});
    for (const of of resources) {
      const refused = await client.post(paths[of], { domain });
      expect(refused).toMatchObject({ status: 429, body: { message: "Credits exhausted" } });
    }
    expect((await client.ledger()).slice(3).map(({ fault }) => fault)).toEqual(
      resources.map(() => "credits-exhausted"),
    );
    expect((await client.uploadJson([account(1)])).status).toBe(200);
    expect((await client.post(paths.accounts, {}, { "x-api-key": "other" })).status).toBe(200);
  });

  it("has calls a minute and credits that ingestion does not use", async () => {
    const client = await started({ creditCalls: 1 });
    expect((await client.uploadJson([account(1)])).status).toBe(200);
    expect((await client.uploadJson([account(1)])).status).toBe(429);
    expect((await client.post(paths.accounts, {})).status).toBe(200);
  });
});

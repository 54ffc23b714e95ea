import { describe, expect, it } from "vitest";

import { answerSchemas } from "../../../../src/sandbox/http/openapi-answers.ts";
import { int32Max } from "../../../../src/sandbox/limits.ts";
import { account, gzipOf, someText, started, textLike } from "../sandbox-client.ts";
import { hiringDomain as domain, idOf, pageOf, paths, type Resource, readAll } from "./support.ts";

const resources: readonly Resource[] = ["accounts", "persons", "job_postings"];

function named(name: string): Record<string, unknown> {
  return { filters: [{ property: "name", operator: "IS", value: name }] };
}

const anyNumber: unknown = expect.any(Number);

function employer(name: string, employees: number): Record<string, unknown> {
  return {
    account_id: name,
    domain: `${name}.example`,
    account_properties: { name, employees },
  };
}

describe("an account that was ingested", () => {
  it("is found at once, with what it was given and scores of its own", async () => {
    const client = await started();
    const given = {
      name: "Société Générique",
      industry: "fintech",
      employees: 12,
      raised_amount: 1.5,
      founded_year: "1999",
      country: "France",
      linkedin_handle: "company/generique",
      favourite_colour: "blue",
    };
    await client.uploadJson([
      { account_id: "A-1", domain: "Generique.example", account_properties: given },
    ]);
    const { data } = pageOf(await client.post(paths.accounts, named("société générique")));
    expect(data).toEqual([
      {
        mk_id: textLike(expect.stringMatching(/^[\da-f]{24}$/)),
        source_system: { id: "A-1", system: "api", object: "account" },
        name: "Société Générique",
        domain: "generique.example",
        industry: "fintech",
        employees_count: 12,
        raised_amount: 1.5,
        socials: { linkedin_handle: "company/generique", website: "https://generique.example" },
        location: { country: "France" },
        scores: {
          customer_fit: {
            score: anyNumber,
            segment: someText,
            signals: someText,
          },
          likelihood_to_buy: { score: anyNumber, segment: someText },
        },
      },
    ]);
  });

  it("has no number beyond the 32 bits of a result", async () => {
    const client = await started();
    await client.uploadJson([employer("large", int32Max), employer("larger", int32Max + 1)]);
    const [large] = pageOf(await client.post(paths.accounts, named("large"))).data;
    const [larger] = pageOf(await client.post(paths.accounts, named("larger"))).data;
    expect(large).toHaveProperty("employees_count", int32Max);
    expect(larger).toHaveProperty("name", "larger");
    expect(larger).not.toHaveProperty("employees_count");
  });

  it("replaces its earlier version, also from a file, and keeps its identity and its scores", async () => {
    const client = await started();
    const idAndScores = async (name: string): Promise<unknown[]> => {
      const { data } = pageOf(await client.post(paths.accounts, named(name)));
      return data.map(({ mk_id, scores }) => [mk_id, scores]);
    };
    await client.uploadJson([account(1)]);
    const before = await idAndScores("Société 1");
    expect(before).toHaveLength(1);
    const renamed = { ...account(1), account_properties: { name: "Renamed" } };
    await client.confirm(await client.upload(gzipOf([renamed])));
    expect(await idAndScores("Société 1")).toEqual([]);
    expect(await idAndScores("Renamed")).toEqual(before);
  });

  it("is still found after a restart, and only once", async () => {
    const client = await started();
    await client.uploadJson([account(1)]);
    const before = await readAll(client, "accounts", { limit: 100 });
    await client.close();
    const again = await started({ dataFolder: client.dataFolder });
    await again.uploadJson([account(2)]);
    const after = await readAll(again, "accounts", { limit: 100 });
    expect(after).toHaveLength(before.length + 1);
    expect(after).toEqual(expect.arrayContaining(before));
  });

  it("has job postings when its domain has, which are the same every time", async () => {
    const client = await started();
    const unknown = { domain: "company-7.example" };
    expect(await readAll(client, "job_postings", unknown)).toEqual([]);
    await client.uploadJson([account(7)]);
    const postings = await readAll(client, "job_postings", { domain: "Company-7.EXAMPLE" });
    expect(postings.length).toBeGreaterThan(0);
    const other = await started();
    await other.uploadJson([account(7)]);
    expect(await readAll(other, "job_postings", unknown)).toEqual(postings);
  });
});

describe("a contact that was ingested", () => {
  it("is found as a person, whose company is the account of its domain", async () => {
    const client = await started();
    const contact = {
      contact_id: "C-1",
      email: "Ada@company-1.example",
      contact_properties: { first_name: "Ada", last_name: "Byron", has_left_company: false },
    };
    await client.uploadJson([contact], "contact");
    const find = async () => pageOf(await client.post(paths.persons, named("ada byron"))).data;
    const person = {
      source_system: { id: "C-1", system: "api", object: "contact" },
      email: "Ada@company-1.example",
      name: "Ada Byron",
      has_left_company: false,
      company: { domain: "company-1.example", mk_id: "" },
      location: {},
    };
    expect(await find()).toMatchObject([person]);
    await client.uploadJson([account(1)]);
    const [company] = pageOf(await client.post(paths.accounts, named("Société 1"))).data;
    expect(await find()).toMatchObject([
      { ...person, company: { domain: "company-1.example", mk_id: company?.["mk_id"] } },
    ]);
  });
});

describe("a page", () => {
  it.each(resources)(
    "has items of the shape that openapi.json tells, each once: %s",
    async (of) => {
      const client = await started();
      const items = await readAll(client, of, { domain, limit: 7 });
      expect(items).toHaveLength({ accounts: 40, persons: 100, job_postings: 73 }[of]);
      expect(new Set(items.map(idOf)).size).toBe(items.length);
      const schema = {
        accounts: "AccountPage",
        persons: "PersonPage",
        job_postings: "JobPostingPage",
      } as const;
      const answer = await client.post(paths[of], { domain, limit: 100 });
      answerSchemas[schema[of]].parse(answer.body);
      expect(pageOf(answer).data).toEqual(items);
    },
  );

  it("has 20 items unless a limit says otherwise, and none after the last", async () => {
    const client = await started();
    const first = pageOf(await client.post(paths.persons, {}));
    expect(first.meta).toEqual({ limit: 20, total: 100, has_next_page: true, next_cursor: 20 });
    expect(first.data).toHaveLength(20);
    const last = pageOf(await client.post(paths.persons, { cursor: 99 }));
    expect(last.meta).toEqual({ limit: 20, total: 100, has_next_page: false });
    expect(last.data).toHaveLength(1);
    const behind = pageOf(await client.post(paths.persons, { cursor: int32Max }));
    expect(behind).toEqual({ data: [], meta: { limit: 20, total: 100, has_next_page: false } });
  });

  it("keeps its place in the order while nothing is ingested, and shows what was ingested meanwhile", async () => {
    const client = await started();
    const sorted = { sort: [{ sort_by: "name", sort_order: "asc" }], limit: 39 };
    const second = { ...sorted, cursor: 39 };
    expect(pageOf(await client.post(paths.accounts, second)).data).toMatchObject([
      { name: "Harbor Robotics" },
    ]);
    await client.uploadJson([
      { account_id: "Z", domain: "z.example", account_properties: { name: "Zulu" } },
    ]);
    expect(pageOf(await client.post(paths.accounts, second)).data).toMatchObject([
      { name: "Harbor Robotics" },
      { name: "Zulu" },
    ]);
  });

  it("answers searches of many kinds in turn", async () => {
    const client = await started();
    const found = await Promise.all(
      ["name", "domain", "industry", "country", "city", "founded_year"].map(
        async (name) =>
          await readAll(client, "accounts", {
            sort: [{ sort_by: name, sort_order: "desc" }],
            limit: 9,
          }),
      ),
    );
    for (const items of found) expect(new Set(items.map(idOf)).size).toBe(40);
  });
});

describe("the logic between filters", () => {
  it.each([
    ["accounts", "filterLogic"],
    ["job_postings", "filter_logic"],
  ] as const)("is AND unless %s says otherwise in its own spelling", async (of, member) => {
    const client = await started();
    const [left, right] =
      of === "accounts" ? (["name", "domain"] as const) : (["event", "location"] as const);
    const filters = [
      { property: left, operator: "IS_NULL", value: true },
      { property: right, operator: "IS_NOT_NULL", value: true },
    ];
    const total = async (more: object): Promise<number> =>
      pageOf(await client.post(paths[of], { domain, filters, ...more })).meta.total;
    expect(await total({})).toBe(0);
    expect(await total({ [member]: "AND" })).toBe(0);
    expect(await total({ [member]: "OR" })).toBeGreaterThan(0);
  });
});

describe("the ledger's line of a search", () => {
  it("tells which page of which search was answered, and no item", async () => {
    const client = await started();
    const body = { search: "amber", limit: 3 };
    await client.post(paths.accounts, body);
    await client.post(paths.accounts, { ...body, cursor: 3 });
    await client.post(paths.persons, {});
    await client.post(paths.job_postings, { domain, cursor: 60 });
    await client.post(paths.persons, { limit: 0 });
    const lines = await client.ledger();
    expect(lines.map(({ step, status }) => [step, status])).toEqual([
      ["search", 200],
      ["search", 200],
      ["search", 200],
      ["enrich", 200],
      ["search", 422],
    ]);
    const query = textLike(expect.stringMatching(/^[\da-f]{16}$/));
    const pages = lines.map(({ page }) => page);
    expect(pages).toEqual([
      { of: "accounts", query, cursor: 0, items: 3 },
      { of: "accounts", query, cursor: 3, items: 2 },
      { of: "persons", query, cursor: 0, items: 20 },
      { of: "job_postings", query, domain, cursor: 60, items: 13 },
      undefined,
    ]);
  });
});

/** The domains that are hit when they are requested in this order. */
async function hitBy(order: readonly string[]): Promise<string[]> {
  const client = await started({
    faults: [{ step: "enrich", oneIn: 3, do: { status: 503 } }],
    seed: 5,
  });
  const hit: string[] = [];
  for (const each of order) {
    const { status } = await client.post(paths.job_postings, { domain: each });
    if (status === 503) hit.push(each);
  }
  return hit.toSorted();
}

describe("a fault that hits one in so many enrichment calls", () => {
  it("hits the same domains, in whatever order they are asked for", async () => {
    const domains = Array.from({ length: 24 }, (_, number) => `company-${number}.example`);
    const hit = await hitBy(domains);
    expect(hit.length).toBeGreaterThan(2);
    expect(hit.length).toBeLessThan(20);
    expect(await hitBy(domains.toReversed())).toEqual(hit);
  });
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { type SandboxClient, started } from "../sandbox-client.ts";
import { evaluate, type Item } from "./oracle.ts";
import { accountProperties, contactProperties, searchOf } from "./random-searches.ts";
import { idOf, pageOf, paths, type Resource, readAll } from "./support.ts";

const searchedIn: Readonly<Record<Resource, readonly string[]>> = {
  accounts: ["name", "domain", "industry", "description", "country", "city"],
  persons: [
    "email",
    "first_name",
    "last_name",
    "name",
    "title",
    "persona",
    "company_domain",
    "country",
    "state",
    "city",
  ],
  job_postings: ["job_opening_title", "keywords", "categories", "location"],
};

function textsOf(item: Item, resource: Resource): readonly string[] {
  const flat = { ...item, company_domain: undefined };
  const nested = [item["location"], item["company"]].flatMap((each) =>
    typeof each === "object" && each !== null ? Object.entries(each) : [],
  );
  const all: Record<string, unknown> = {
    ...flat,
    ...Object.fromEntries(
      nested.map(([name, value]) => [name === "domain" ? "company_domain" : name, value]),
    ),
  };
  return searchedIn[resource].flatMap((name) => {
    const text = all[name];
    return typeof text === "string" ? [text] : [];
  });
}

/** Random searches, each read page by page and compared with the oracle's result over all items. */
async function compare(
  client: SandboxClient,
  resource: Resource,
  more: { readonly domain?: string } = {},
): Promise<void> {
  const items = await readAll(client, resource, { ...more, limit: 100 });
  const logicName = resource === "job_postings" ? "filter_logic" : "filterLogic";
  let found = 0;
  const property = fc.asyncProperty(
    searchOf(resource),
    fc.constantFrom(10, 40, 100),
    async ({ logic, ...search }, limit) => {
      const body = { ...more, ...search, [logicName]: logic, limit };
      const got = await readAll(client, resource, body);
      const wanted = evaluate(
        items,
        { ...search, logic },
        {
          idOf,
          textsOf: (item) => textsOf(item, resource),
        },
      );
      expect(got.map(idOf)).toEqual(wanted.map(idOf));
      const { meta } = pageOf(await client.post(paths[resource], body));
      expect(meta.total).toBe(wanted.length);
      if (got.length > 0 && got.length < items.length) found += 1;
    },
  );
  await fc.assert(property, { numRuns: 120 });
  // Searches that find everything or nothing compare little.
  expect(found).toBeGreaterThan(10);
}

describe("a search", { timeout: 120_000 }, () => {
  it("finds the accounts that the oracle finds, in its order", async () => {
    const client = await started();
    const accounts = fc.sample(accountProperties, 60).map((given, number) => ({
      account_id: `A-${number}`,
      domain: `Company-${number}.example`,
      account_properties: given,
    }));
    expect((await client.uploadJson(accounts)).status).toBe(200);
    await compare(client, "accounts");
  });

  it("finds the persons that the oracle finds, in its order", async () => {
    const client = await started();
    const contacts = fc.sample(contactProperties, 60).map((given, number) => ({
      contact_id: `C-${number}`,
      email: `Person-${number}@company-${number % 7}.example`,
      contact_properties: given,
    }));
    expect((await client.uploadJson(contacts, "contact")).status).toBe(200);
    await compare(client, "persons");
  });

  it("finds the job postings that the oracle finds, in its order", async () => {
    const client = await started();
    const domains = (await readAll(client, "accounts", { limit: 100 })).map(({ domain }) =>
      String(domain),
    );
    const sizes = await Promise.all(
      domains.map(
        async (domain) => (await readAll(client, "job_postings", { domain, limit: 100 })).length,
      ),
    );
    const largest = domains[sizes.indexOf(Math.max(...sizes))];
    expect(Math.max(...sizes)).toBeGreaterThan(20);
    await compare(client, "job_postings", { domain: largest ?? "" });
  });
});

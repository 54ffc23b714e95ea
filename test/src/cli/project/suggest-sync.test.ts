import { describe, expect, it } from "vitest";

import type { Discovery } from "../../../../connectors/contract/connector.ts";
import { suggestSync, yamlOf } from "../../../../src/cli/project/suggest-sync.ts";

/** A file with text columns of these names. */
function file(...names: string[]): Discovery {
  return {
    name: "companies.csv",
    from: {},
    columns: names.map((name) => ({ name, type: "string" })),
    key: [],
  };
}

/** The properties of an account with these columns. */
function properties(...columns: string[]): unknown {
  const chosen = { stream: "account", key: "x", address: "y" } as const;
  return suggestSync("c", file(...columns), chosen).record["account_properties"];
}

describe("suggestSync", () => {
  it.each<[domain: string | undefined, columns: readonly string[]]>([
    ["domain", ["website", "domain", "url"]],
    ["Company Domain Name", ["Website URL", "Company Domain Name"]],
    ["webSite", ["url", "webSite"]],
    ["Website URL", ["LinkedIn URL", "Website URL"]],
    ["company_url", ["logo_url", "company_url"]],
    [undefined, ["logo_url", "subdomains"]],
    // The part after the @ is a domain.
    ["E-Mail", ["name", "E-Mail"]],
  ])("takes %s for the domain", (domain, columns) => {
    const { record, notes } = suggestSync("c", file(...columns), { stream: "account" });
    expect(record["domain"]).toEqual(domain && { column: domain, as: "domain" });
    expect(notes.length).toBe(domain === undefined ? 2 : 1);
  });

  it("gives properties of an account their usual names, unless two would share one", () => {
    expect(properties("Company name", "Number of Employees", "staff")).toEqual({
      name: "Company name",
      employees: "Number of Employees",
      staff: "staff",
    });
    expect(properties("company", "name", "headcount", "employees")).toEqual({
      company: "company",
      name: "name",
      headcount: "headcount",
      employees: "employees",
    });
    expect(properties("company", "account_name")).toEqual({
      company: "company",
      account_name: "account_name",
    });
  });

  it.each([
    ["json", "jsonb"],
    ["json", "json[]"],
    ["json", "bigint[]"],
    ["json", "numeric[]"],
    ["number", "bigint"],
    ["number", "numeric(16,2)"],
  ] as const)("takes as text what may hold longer numbers than JSON: %s %s", (type, note) => {
    const column = { name: "meta", type, note };
    const found = { ...file(), columns: [column] };
    const chosen = { stream: "account", key: "x", address: "y" } as const;
    expect(suggestSync("c", found, chosen).record["account_properties"]).toEqual({ meta: "meta" });
  });

  it.each([
    ["json", "text[]", "json"],
    ["json", "numeric(5,2)[]", "json"],
    ["json", undefined, "json"],
    ["number", "numeric(5,2)", "number"],
  ] as const)("converts what cannot: %s %s", (type, note, as) => {
    const found = { ...file(), columns: [{ name: "meta", type, note }] };
    const chosen = { stream: "account", key: "x", address: "y" } as const;
    const meta = { column: "meta", as };
    expect(suggestSync("c", found, chosen).record["account_properties"]).toEqual({ meta });
  });

  it("guesses nothing that was chosen", () => {
    const chosen = { stream: "contact", key: "no", address: "login" } as const;
    const sync = suggestSync("c", file("id", "no", "email", "company", "login"), chosen);
    expect(sync.stream).toBe("contact");
    expect(sync.notes).toEqual([]);
    expect(sync.record).toEqual({
      contact_id: "no",
      email: { column: "login", as: "email" },
      contact_properties: { id: "id", email: "email", company: "company" },
    });
  });
});

describe("yamlOf", () => {
  it("lets no column's name stand for a variable", () => {
    const sync = suggestSync("c", file("${a}"), { stream: "account", key: "${k}", address: "d" });
    expect(yamlOf(sync)).toContain("account_id: $${k}\n");
    expect(yamlOf(sync)).toContain("${a}: $${a}\n");
  });

  it("keeps a column whose name looks like a variable without braces", () => {
    const sync = suggestSync("c", file("$REVENUE_USD"), { stream: "account", key: "id" });
    expect(yamlOf(sync)).toContain("$REVENUE_USD: ${NONE:-$REVENUE_USD}\n");
  });
});

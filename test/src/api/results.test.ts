import { describe, expect, it } from "vitest";

import { readResult, valueAt } from "../../../src/api/results.ts";
import type { Searchable } from "../../../src/api/results.ts";
import { recordDepthMax } from "../../../src/records/json-value.ts";
import { foundAccount } from "./support.ts";

const person = {
  mk_id: "mk-2",
  source_system: { id: "7", system: "crm", object: "contact" },
  email: "ada@acme.example",
  name: "Ada",
  company: { domain: "acme.example", mk_id: "mk-1" },
  socials: { website: "" },
  location: { country: "FR", state: "", city: "Paris" },
  scores: { likelihood_to_buy: { score: 3, segment: "low" } },
};

const posting = {
  company_domain: "acme.example",
  job_opening_title: "Engineer",
  job_opening_url: "https://acme.example/jobs/1",
  event: "first_seen",
  event_on: "2026-01-31",
  first_event_on: "2026-01-31",
};

const wholeAccount = {
  ...foundAccount,
  logo: "https://acme.example/logo.png",
  description: "Makes everything",
  industry: "software",
  founded_year: 1999,
  raised_amount: 1_000_000.5,
  employees_count: 10,
  active_users: 0,
  activities_count: 2,
  scores: {
    customer_fit: { score: 61.5, segment: "good", signals: "✓ size\n✓ place" },
    likelihood_to_buy: { score: 3, segment: "low" },
  },
};

const least: Readonly<Record<Searchable, object>> = {
  accounts: foundAccount,
  persons: person,
  job_postings: posting,
};

/** A number nested in this many lists. */
function nested(levels: number): unknown {
  return levels === 0 ? 1 : [nested(levels - 1)];
}

describe("readResult", () => {
  it.each(["accounts", "persons", "job_postings"] as const)(
    "takes what is always present in a result of %s as it is",
    (of) => {
      expect(readResult(of, least[of])).toEqual({ item: least[of] });
    },
  );

  it("takes every member of the API document, and those that it does not name", () => {
    const account = { ...wholeAccount, funding: { round: ["a", null] }, scores_v2: true };
    expect(readResult("accounts", account)).toEqual({ item: account });
    const told = {
      ...person,
      activities: [{ any: "thing" }],
      has_left_company: false,
      persona: "",
    };
    expect(readResult("persons", told)).toEqual({ item: told });
    const words = { ...posting, keywords: "a, b", categories: "c", location: "Paris" };
    expect(readResult("job_postings", words)).toEqual({ item: words });
  });

  it("takes null for a member that may be absent", () => {
    const account = { ...foundAccount, industry: null, founded_year: null };
    expect(readResult("accounts", account)).toEqual({ item: account });
  });

  it.each(
    (["accounts", "persons", "job_postings"] as const).flatMap((of) =>
      Object.keys(least[of]).map((member) => [of, member] as const),
    ),
  )("refuses a result of %s without its %s", (of, member) => {
    const rest = Object.entries(least[of]).filter(([name]) => name !== member);
    const read = readResult(of, Object.fromEntries(rest));
    expect("reason" in read ? read.reason : "").toMatch(new RegExp(`^${member}: Invalid input`));
  });

  it.each([
    ["accounts", { ...foundAccount, employees_count: "many" }, "employees_count"],
    ["accounts", { ...foundAccount, founded_year: 1999.5 }, "founded_year"],
    ["accounts", { ...foundAccount, mk_id: "" }, "mk_id"],
    [
      "accounts",
      { ...foundAccount, scores: { customer_fit: { score: "61" } } },
      "scores.customer_fit.score",
    ],
    ["persons", { ...person, has_left_company: "no" }, "has_left_company"],
    ["job_postings", { ...posting, event_on: "31.01.2026" }, "event_on"],
    ["accounts", null, "it"],
    ["accounts", [], "it"],
    ["accounts", "acme.example", "it"],
  ] as const)(
    "names the member of %s that is of another type, and no value",
    (of, value, member) => {
      const read = readResult(of, value);
      expect(read).toHaveProperty("reason");
      expect(JSON.stringify(read)).toContain(`"${member}: `);
      expect(JSON.stringify(read)).not.toMatch(/many|31\.01|acme/);
    },
  );

  it.each([recordDepthMax - 2, recordDepthMax - 1])("takes a member of %i levels", (levels) => {
    expect(readResult("accounts", { ...foundAccount, more: nested(levels) })).toHaveProperty(
      "item",
    );
  });

  it.each([
    [{ more: nested(recordDepthMax) }, "it holds values nested too deeply"],
    [{ more: "\ud800" }, "it holds a text that is not well-formed Unicode"],
    [{ more: Infinity }, "it holds a number that is too large"],
  ])("refuses what cannot be kept as it is", (more, reason) => {
    expect(readResult("accounts", { ...foundAccount, ...more })).toEqual({ reason });
  });
});

describe("valueAt", () => {
  const account = {
    mk_id: "m1",
    name: "Acme",
    founded_year: 0,
    scores: { customer_fit: { score: 71.5, segment: "" } },
    location: { country: null, city: "Lyon" },
    socials: [],
  };

  it.each([
    ["name", "Acme"],
    ["scores.customer_fit.score", 71.5],
    ["scores.customer_fit.segment", ""],
    ["founded_year", 0],
    ["location", { country: null, city: "Lyon" }],
    ["location.country", null],
    ["location.country.code", null],
    ["scores.likelihood_to_buy.score", null],
    ["socials.length", null],
    ["name.length", null],
    ["constructor.name", null],
    ["__proto__", null],
  ])("finds at %s what the result holds there", (path, value) => {
    expect(valueAt(account, path)).toEqual(value);
  });
});

import * as fc from "fast-check";

import type { Filter, Search } from "./oracle.ts";
import { type Kind, type Operator, operators, properties } from "./published.ts";
import type { Resource } from "./support.ts";

/** Texts that differ in what a comparison may overlook: case, composition, wildcards, a NUL, letters beyond 16 bits. */
const texts = [
  "",
  "a",
  "A",
  "ab",
  "b a",
  "É",
  "e\u0301t\u00e9",
  "ß",
  "SS",
  "%",
  "_b",
  "x\u0000y",
  "x\u0000z",
  "𝒳",
  "\uff5e",
  "İ",
  "1",
];
const numbers = [-3, 0, 1, 1.5, 2, 7, 250, 9_007_199_254_740_991];
const dates = [
  "2025-01-01",
  "2025-06-15",
  "2026-03-01T00:00:00Z",
  "2025-11-30T23:00:00-02:00",
  "2026-01-01",
];

/** Texts, some of which occur in job postings, which nobody ingests. */
const jobTexts = [
  "engineering",
  "SENIOR",
  "ledgers,audits",
  "berlin",
  "e",
  ", france",
  "first_seen",
];

const text = fc.constantFrom(...texts);
const optional = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(value, { nil: undefined, freq: 2 });
const whole = optional(fc.constantFrom(...numbers.filter((each) => Number.isInteger(each))));

/** Attributes of an account, each of which may be absent. */
export const accountProperties = fc.record({
  name: optional(text),
  industry: optional(text),
  employees: whole,
  founded_year: whole,
  raised_amount: optional(fc.constantFrom(...numbers)),
  country: optional(text),
  city: optional(text),
  active_users: whole,
  activities_count: whole,
  description: optional(text),
});

/** Attributes of a contact, each of which may be absent. */
export const contactProperties = fc.record({
  first_name: optional(text),
  last_name: optional(text),
  title: optional(text),
  persona: optional(text),
  company_domain: optional(text),
  country: optional(text),
  state: optional(text),
  city: optional(text),
  activities: whole,
  has_left_company: optional(fc.boolean()),
});

type Ones = Readonly<Record<Kind, fc.Arbitrary<boolean | number | string>>>;

function onesOf(resource: Resource): Ones {
  return {
    text: resource === "job_postings" ? fc.constantFrom(...jobTexts) : text,
    number: fc.constantFrom(...numbers),
    boolean: fc.boolean(),
    date: fc.constantFrom(...dates),
  };
}

/** Values that an operator accepts for a property of this kind; undefined if it does not apply to such properties. */
function valueOf(operator: Operator, kind: Kind, ones: Ones): fc.Arbitrary<unknown> | undefined {
  const one = ones[kind];
  if (operator.endsWith("NULL")) return fc.constantFrom(true, "", 0, []);
  if (operator === "IS" || operator === "IS_NOT") return one;
  if (operator.endsWith("IN")) return fc.array(one, { maxLength: 4 });
  if (/CONTAINS|WITH/.test(operator)) {
    if (kind === "text") return one;
    return kind === "date" ? fc.constantFrom("2025", "-01", "2026-", "") : undefined;
  }
  if (kind === "boolean") return undefined;
  return operator.endsWith("BETWEEN") ? fc.tuple(one, one) : one;
}

function filterOf(kinds: Readonly<Record<string, Kind>>, ones: Ones): fc.Arbitrary<Filter> {
  const all = Object.entries(kinds).flatMap(([property, kind]) =>
    operators.flatMap((operator) => {
      const value = valueOf(operator, kind, ones);
      return value === undefined
        ? []
        : [value.map((given) => ({ property, operator, value: given }))];
    }),
  );
  return fc.oneof(...all);
}

/** Searches that an endpoint accepts. */
export function searchOf(resource: Resource): fc.Arbitrary<Search> {
  const kinds: Readonly<Record<string, Kind>> = properties[resource];
  const ones = onesOf(resource);
  return fc.record({
    search: fc.oneof(
      { weight: 3, arbitrary: fc.constant("") },
      fc.array(ones.text, { maxLength: 2 }).map((words) => words.join(" ")),
    ),
    filters: fc.array(filterOf(kinds, ones), { maxLength: 4 }),
    logic: fc.constantFrom("AND" as const, "OR" as const),
    sort: fc.array(
      fc.record({
        sort_by: fc.constantFrom(...Object.keys(kinds)),
        sort_order: fc.constantFrom("asc" as const, "desc" as const),
      }),
      { maxLength: 3 },
    ),
  });
}

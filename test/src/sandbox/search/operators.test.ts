import { describe, expect, it } from "vitest";

import { type SandboxClient, started } from "../sandbox-client.ts";
import {
  type Kind,
  type Operator,
  operators,
  properties,
  valuesByType,
  type ValueType,
} from "./published.ts";
import { hiringDomain, pageOf, paths, type Resource, readAll } from "./support.ts";

/** The value types that an operator accepts for each kind of property; every other one is refused. */
type Taken = Readonly<Record<Kind, readonly ValueType[]>>;

const one: Taken = {
  text: ["string", "date-time"],
  number: ["number"],
  boolean: ["boolean"],
  date: ["date-time"],
};
const bound: Taken = { ...one, boolean: [] };
const list: Taken = {
  text: ["strings", "date-times"],
  number: ["numbers"],
  boolean: ["booleans"],
  date: ["date-times"],
};
const bounds: Taken = { ...list, boolean: [] };
const piece: Taken = {
  text: ["string", "date-time"],
  number: [],
  boolean: [],
  date: ["string", "date-time"],
};
const all: readonly ValueType[] = [
  "string",
  "number",
  "boolean",
  "date-time",
  "strings",
  "numbers",
  "booleans",
  "date-times",
];
const anything: Taken = { text: all, number: all, boolean: all, date: all };

const taken: Readonly<Record<Operator, Taken>> = {
  IS: one,
  IS_NOT: one,
  GT: bound,
  GTE: bound,
  LT: bound,
  LTE: bound,
  IN: list,
  NOT_IN: list,
  BETWEEN: bounds,
  NOT_BETWEEN: bounds,
  IS_NULL: anything,
  IS_NOT_NULL: anything,
  CONTAINS: piece,
  NOT_CONTAINS: piece,
  STARTS_WITH: piece,
  ENDS_WITH: piece,
};

/** Every operator with every value type, for one kind of property. */
const cases = operators.flatMap((operator) =>
  all.map((type) => ({ operator, type, value: valuesByType[type] })),
);

describe("a filter", () => {
  it("has a case for every operator and every type of value that the service documents", () => {
    expect(cases).toHaveLength(16 * 8);
    expect(Object.keys(valuesByType)).toEqual(all);
  });

  const resources: readonly Resource[] = ["accounts", "persons", "job_postings"];
  it.each(resources)(
    "takes, of every property and with every operator, the values of its kind and no other: %s",
    async (resource) => {
      const client = await started();
      const wrong: unknown[] = [];
      // One request tries all values at once: the answer names each refused one.
      for (const [property, kind] of Object.entries<Kind>(properties[resource])) {
        for (const half of [cases.slice(0, 64), cases.slice(64)]) {
          const filters = half.map(({ operator, value }) => ({ property, operator, value }));
          const refused = await refusedBy(client, resource, filters);
          const expected = half.flatMap(({ operator, type }, index) =>
            taken[operator][kind].includes(type) ? [] : [index],
          );
          if (refused.join() !== expected.join()) wrong.push({ property, refused, expected });
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  it.each(resources)("knows the published properties of %s alone", async (resource) => {
    const client = await started();
    const names = [...new Set(Object.values(properties).flatMap((each) => Object.keys(each)))];
    const filters = [...names, "mk_id", "__proto__"].map((property) => ({
      property,
      operator: "IS_NULL",
      value: true,
    }));
    const refused = await refusedBy(client, resource, filters);
    const accepted = filters.filter((_, index) => !refused.includes(index));
    expect(accepted.map(({ property }) => property).toSorted()).toEqual(
      Object.keys(properties[resource]).toSorted(),
    );
  });
});

/** The places of the refused filters. */
async function refusedBy(
  client: SandboxClient,
  resource: Resource,
  filters: readonly unknown[],
): Promise<number[]> {
  const { status, body } = await client.post(paths[resource], { domain: "a.example", filters });
  if (status === 200) return [];
  expect(status).toBe(422);
  const places = [...JSON.stringify(body).matchAll(/"loc":\["body","filters",(\d+),/g)];
  return [...new Set(places.map(([, place]) => Number(place)))];
}

const three = [
  { name: "Alpha", industry: "Software", employees: 10, raised_amount: 1.5 },
  { name: "beta", industry: "", employees: 20, raised_amount: -2 },
  { name: "Émile", employees: 30 },
].map((given, number) => ({
  account_id: `A-${number}`,
  domain: `three-${number}.example`,
  account_properties: { ...given, city: "Threetown" },
}));

/** The results of each operator among three accounts, by the first letters of their names. */
const meanings: readonly (readonly [string, Operator, unknown, string])[] = [
  ["name", "IS", "ALPHA", "A"],
  ["name", "IS", "e\u0301mile", "É"],
  ["name", "IS_NOT", "alpha", "bÉ"],
  ["industry", "IS", "", "b"],
  ["industry", "IS_NOT", "software", "bÉ"],
  ["industry", "IN", ["SOFTWARE", "x"], "A"],
  ["industry", "NOT_IN", ["software"], "bÉ"],
  ["industry", "IN", [], ""],
  ["industry", "NOT_IN", [], "AbÉ"],
  ["industry", "IS_NULL", false, "É"],
  ["industry", "IS_NOT_NULL", "", "Ab"],
  ["industry", "CONTAINS", "WARE", "A"],
  ["industry", "CONTAINS", "", "Ab"],
  ["industry", "NOT_CONTAINS", "ware", "bÉ"],
  ["name", "STARTS_WITH", "BE", "b"],
  ["name", "ENDS_WITH", "A", "Ab"],
  ["name", "ENDS_WITH", "much longer than any of them", ""],
  ["name", "GT", "Alpha", "bÉ"],
  ["name", "LTE", "Beta", "Ab"],
  ["employees_count", "GT", 20, "É"],
  ["employees_count", "GTE", 20, "bÉ"],
  ["employees_count", "LT", 20, "A"],
  ["employees_count", "LTE", 20, "Ab"],
  ["employees_count", "BETWEEN", [10, 20], "Ab"],
  ["employees_count", "BETWEEN", [20, 10], ""],
  ["employees_count", "NOT_BETWEEN", [10, 20], "É"],
  ["raised_amount", "IS", 1.5, "A"],
  ["raised_amount", "NOT_BETWEEN", [-2, 0], "AÉ"],
];

describe("an operator", () => {
  it("finds what docs/sandbox.md says of it", async () => {
    const client = await started();
    await client.uploadJson(three);
    const found = [];
    for (const [property, operator, value] of meanings) {
      const filters = [
        { property: "city", operator: "IS", value: "threetown" },
        { property, operator, value },
      ];
      const sort = [{ sort_by: "employees_count", sort_order: "asc" }];
      const { data } = pageOf(await client.post("/search/accounts", { filters, sort }));
      const letters = data.map(({ name }) => String(name).slice(0, 1)).join("");
      found.push([property, operator, value, letters]);
    }
    expect(found).toEqual(meanings);
  });

  it("compares dates as days in UTC, whatever offset they come with, and their text as it is written", async () => {
    const client = await started();
    const domain = hiringDomain;
    const postings = await readAll(client, "job_postings", { domain });
    const day = String(postings[0]?.["event_on"]);
    const count = async (operator: Operator, value: unknown): Promise<number> => {
      const filters = [{ property: "event_on", operator, value }];
      return pageOf(await client.post(paths.job_postings, { domain, filters })).meta.total;
    };
    const same = postings.filter(({ event_on: on }) => on === day).length;
    expect(same).toBeGreaterThan(0);
    const midnight = new Date(`${day}T02:00:00+02:00`).toISOString();
    expect(await count("IS", day)).toBe(same);
    expect(await count("IS", midnight)).toBe(same);
    expect(await count("IS", midnight.toLowerCase())).toBe(same);
    expect(await count("IS", `${day}T00:00:00+02:00`)).toBe(0);
    expect(await count("STARTS_WITH", day.slice(0, 7))).toBe(
      postings.filter(({ event_on: on }) => String(on).startsWith(day.slice(0, 7))).length,
    );
  });
});

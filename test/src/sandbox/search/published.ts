/** The type of a property's values. */
export type Kind = "boolean" | "date" | "number" | "text";

/** The operators, copied from docs/facts/service.md#search. */
export const operators = [
  "IS",
  "IS_NOT",
  "GT",
  "GTE",
  "LT",
  "LTE",
  "IN",
  "NOT_IN",
  "BETWEEN",
  "NOT_BETWEEN",
  "IS_NULL",
  "IS_NOT_NULL",
  "CONTAINS",
  "NOT_CONTAINS",
  "STARTS_WITH",
  "ENDS_WITH",
] as const;

/** An operator. */
export type Operator = (typeof operators)[number];

const text = "text";
const number = "number";

/** The properties, copied from docs/facts/service.md#search; their kinds, from the results there. */
export const properties = {
  accounts: {
    name: text,
    domain: text,
    industry: text,
    employees_count: number,
    founded_year: number,
    raised_amount: number,
    country: text,
    city: text,
    active_users: number,
    activities_count: number,
  },
  persons: {
    email: text,
    first_name: text,
    last_name: text,
    name: text,
    title: text,
    persona: text,
    company_domain: text,
    country: text,
    state: text,
    city: text,
    activities: number,
    has_left_company: "boolean",
  },
  job_postings: {
    job_opening_title: text,
    keywords: text,
    categories: text,
    location: text,
    event: text,
    event_on: "date",
    first_event_on: "date",
  },
} as const satisfies Record<string, Readonly<Record<string, Kind>>>;

/** A value of every type that a filter may have (docs/facts/service.md#search), by the type's name. */
export const valuesByType = {
  string: "software",
  number: 7,
  boolean: true,
  "date-time": "2025-03-01T12:00:00Z",
  strings: ["software", "fintech"],
  numbers: [1, 7],
  booleans: [true, false],
  "date-times": ["2025-01-01T00:00:00Z", "2025-12-31T00:00:00+02:00"],
} as const;

/** The name of one of those types. */
export type ValueType = keyof typeof valuesByType;

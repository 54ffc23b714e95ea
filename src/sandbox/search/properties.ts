/** The kinds of items that can be searched. */
export type Resource = "accounts" | "job_postings" | "persons";

/** The type of a property's values. */
export type Kind = "boolean" | "date" | "number" | "text";

/** The properties that filters and sorts may name, with the type of their values (docs/facts/service.md#search). */
export const properties = {
  accounts: {
    name: "text",
    domain: "text",
    industry: "text",
    employees_count: "number",
    founded_year: "number",
    raised_amount: "number",
    country: "text",
    city: "text",
    active_users: "number",
    activities_count: "number",
  },
  persons: {
    email: "text",
    first_name: "text",
    last_name: "text",
    name: "text",
    title: "text",
    persona: "text",
    company_domain: "text",
    country: "text",
    state: "text",
    city: "text",
    activities: "number",
    has_left_company: "boolean",
  },
  job_postings: {
    job_opening_title: "text",
    keywords: "text",
    categories: "text",
    location: "text",
    event: "text",
    event_on: "date",
    first_event_on: "date",
  },
} as const satisfies Record<Resource, Record<string, Kind>>;

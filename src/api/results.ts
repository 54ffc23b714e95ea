import { z } from "zod";

import { jsonFaultOf } from "../records/json-value.ts";
import type { JsonFault, JsonValue } from "../records/json-value.ts";

/** The kinds of result that can be searched: accounts, persons, and the job postings of one company. */
export type Searchable = "accounts" | "persons" | "job_postings";

/** One result as it came, members that the API document does not name included. */
export type Result = { readonly [member: string]: JsonValue };

/** A member that may be absent, as null or left out. */
const text = z.string().nullish();
const count = z.int().nullish();
const amount = z.number().nullish();

const sourceSystem = z.object({ id: text, system: text, object: text });
const socials = z.object({
  linkedin_handle: text,
  twitter_handle: text,
  crunchbase_handle: text,
  website: text,
});
const scores = z.object({
  customer_fit: z.object({ score: amount, segment: text, signals: text }).nullish(),
  likelihood_to_buy: z.object({ score: amount, segment: text }).nullish(),
});

/** docs/facts/service.md#results. */
const shapes: Readonly<Record<Searchable, z.ZodType>> = {
  accounts: z.object({
    mk_id: z.string().min(1),
    source_system: sourceSystem,
    name: z.string(),
    domain: z.string(),
    logo: text,
    description: text,
    industry: text,
    founded_year: count,
    raised_amount: amount,
    employees_count: count,
    active_users: count,
    activities_count: count,
    socials,
    location: z.object({ country: text, city: text }),
    scores,
  }),
  persons: z.object({
    mk_id: z.string().min(1),
    source_system: sourceSystem,
    email: z.string(),
    name: z.string(),
    first_name: text,
    last_name: text,
    title: text,
    persona: text,
    avatar: text,
    company: z.object({ domain: text, mk_id: text }),
    socials,
    location: z.object({ country: text, state: text, city: text }),
    has_left_company: z.boolean().nullish(),
    scores,
    // Without a declared type.
    activities: z.unknown().optional(),
  }),
  job_postings: z.object({
    company_domain: z.string().min(1),
    job_opening_title: z.string(),
    job_opening_url: z.string().min(1),
    keywords: text,
    categories: text,
    location: text,
    event: z.string().min(1),
    event_on: z.iso.date(),
    first_event_on: z.iso.date(),
  }),
};

const jsonFaults: Readonly<Record<JsonFault, string>> = {
  lone_surrogate: "a text that is not well-formed Unicode",
  not_json: "a number that is too large",
  too_deep: "values nested too deeply",
};

const json = z.custom<Result>((value) => jsonFaultOf(value) === undefined);

/** A result, or why it does not have the shape in the API document: a path and a kind, never a value. */
export function readResult(
  of: Searchable,
  value: unknown,
): { readonly item: Result } | { readonly reason: string } {
  const shape = shapes[of].safeParse(value);
  if (!shape.success) {
    const [issue] = shape.error.issues;
    const where = issue === undefined || issue.path.length === 0 ? "it" : issue.path.join(".");
    return { reason: `${where}: ${issue?.message ?? "Invalid input"}` };
  }
  const item = json.safeParse(value);
  if (item.success) return { item: item.data };
  return { reason: `it holds ${jsonFaults[jsonFaultOf(value) ?? "not_json"]}` };
}

function isGroup(value: JsonValue): value is Result {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path; null where the path leads to nothing, because the service leaves out unknown values. */
export function valueAt(result: Result, path: string): JsonValue {
  return path.split(".").reduce<JsonValue>((value, step) => {
    return isGroup(value) && Object.hasOwn(value, step) ? (value[step] ?? null) : null;
  }, result);
}

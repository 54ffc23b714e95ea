import type { Searchable } from "../../api/results.ts";
import { closest } from "../messages/did-you-mean.ts";

const socials = ["linkedin_handle", "twitter_handle", "crunchbase_handle", "website"].map(
  (name) => `socials.${name}`,
);
const scored = [
  ...["score", "segment", "signals"].map((name) => `scores.customer_fit.${name}`),
  ...["score", "segment"].map((name) => `scores.likelihood_to_buy.${name}`),
];
const system = ["id", "system", "object"].map((name) => `source_system.${name}`);

const account =
  "mk_id name domain logo description industry founded_year raised_amount employees_count " +
  "active_users activities_count " +
  "location.country location.city";
const person =
  "mk_id email name first_name last_name title persona avatar has_left_company activities " +
  "company.domain company.mk_id " +
  "location.country location.state location.city";
const posting =
  "company_domain job_opening_title job_opening_url keywords categories location event event_on first_event_on";

/** The members that a result may have (docs/facts/service.md#results), as paths. */
const paths: Readonly<Record<Searchable, readonly string[]>> = {
  accounts: [...account.split(" "), ...system, ...socials, ...scored],
  persons: [...person.split(" "), ...system, ...socials, ...scored],
  job_postings: posting.split(" "),
};

/** The types of values that are not text, by path (docs/facts/service.md#results). */
const types: Readonly<Record<string, "boolean" | "date" | "number">> = {
  founded_year: "number",
  raised_amount: "number",
  employees_count: "number",
  active_users: "number",
  activities_count: "number",
  "scores.customer_fit.score": "number",
  "scores.likelihood_to_buy.score": "number",
  has_left_company: "boolean",
  event_on: "date",
  first_event_on: "date",
};

const path = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

/** The groups of members, at which a path may also end. */
function groupsOf(known: readonly string[]): readonly string[] {
  return known.flatMap((each) => {
    const steps = each.split(".");
    return steps.slice(1).map((_, index) => steps.slice(0, index + 1).join("."));
  });
}

/**
 * The fault of a path into a result; undefined if there is none. A path close to a known one is a typing error; a
 * wholly unknown one may be a member that the service has but does not document.
 */
export function resultPathFault(of: Searchable, written: unknown): string | undefined {
  if (typeof written !== "string") return undefined;
  if (!path.test(written)) return "must be a path into a result, such as scores.customer_fit.score";
  const known = [...paths[of], ...groupsOf(paths[of])];
  if (known.includes(written)) return undefined;
  const meant = closest(written, known);
  return meant === undefined ? undefined : `no result has this member (did you mean "${meant}"?)`;
}

/** The type of the value at a path of a result; `json` where it is not declared, or is a group of members. */
export function resultPathType(
  of: Searchable,
  written: string,
): "boolean" | "date" | "json" | "number" | "string" {
  // A person's activities have no declared type (docs/facts/service.md#results).
  if (!paths[of].includes(written) || written === "activities") return "json";
  return types[written] ?? "string";
}

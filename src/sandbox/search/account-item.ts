import { hash } from "node:crypto";

import type { z } from "zod";

import type { sandboxRecordSchemas } from "../schemas.ts";
import { FreeProperties } from "./free-properties.ts";
import type { Findable } from "./items-table.ts";
import { scoresOf } from "./scores.ts";

/** The system that a record comes from: the client that ingested it, or the sandbox, which starts with some. */
export type System = "api" | "sandbox";

/** The service's identifier of a record. */
export function serviceId(of: {
  readonly system: System;
  readonly object: "account" | "contact";
  readonly id: string;
}): string {
  return hash("sha256", `${of.system}\n${of.object}\n${of.id}`).slice(0, 24);
}

/** The search result of an account record (docs/facts/service.md#results). */
export function accountItem(
  { account_id, domain, account_properties }: z.output<typeof sandboxRecordSchemas.account>,
  system: System,
): Findable {
  const given = new FreeProperties(account_properties);
  const id = serviceId({ system, object: "account", id: account_id });
  const values = {
    name: given.text("name") ?? domain,
    domain: domain.toLowerCase(),
    industry: given.text("industry"),
    employees_count: given.integer("employees_count") ?? given.integer("employees"),
    founded_year: given.integer("founded_year"),
    raised_amount: given.number("raised_amount"),
    country: given.text("country"),
    city: given.text("city"),
    active_users: given.integer("active_users"),
    activities_count: given.integer("activities_count"),
  };
  const { country, city, ...attributes } = values;
  const description = given.text("description");
  const item = {
    mk_id: id,
    source_system: { id: account_id, system, object: "account" },
    ...attributes,
    logo: given.text("logo"),
    description,
    socials: {
      linkedin_handle: given.text("linkedin_handle"),
      twitter_handle: given.text("twitter_handle"),
      crunchbase_handle: given.text("crunchbase_handle"),
      website: given.text("website") ?? `https://${values.domain}`,
    },
    location: { country, city },
    scores: scoresOf(id),
  };
  return {
    id,
    json: JSON.stringify(item),
    values,
    texts: [values.name, values.domain, values.industry, description, country, city],
  };
}

import type { z } from "zod";

import type { sandboxRecordSchemas } from "../schemas.ts";
import { serviceId, type System } from "./account-item.ts";
import { FreeProperties } from "./free-properties.ts";
import type { Findable } from "./items-table.ts";
import { scoresOf } from "./scores.ts";

/**
 * The search result of a contact record (docs/facts/service.md#results); its company's `mk_id` is filled in
 * when it is answered.
 */
export function personItem(
  { contact_id, email, contact_properties }: z.output<typeof sandboxRecordSchemas.contact>,
  system: System,
): Findable {
  const given = new FreeProperties(contact_properties);
  const id = serviceId({ system, object: "contact", id: contact_id });
  const values = {
    email,
    first_name: given.text("first_name"),
    last_name: given.text("last_name"),
    name: given.text("name") ?? nameOf(given, email),
    title: given.text("title"),
    persona: given.text("persona"),
    company_domain: (given.text("company_domain") ?? email.replace(/^.*@/, "")).toLowerCase(),
    country: given.text("country"),
    state: given.text("state"),
    city: given.text("city"),
    activities: given.integer("activities"),
    has_left_company: given.flag("has_left_company"),
  };
  const { company_domain: domain, country, state, city, ...attributes } = values;
  const item = {
    mk_id: id,
    source_system: { id: contact_id, system, object: "contact" },
    ...attributes,
    avatar: given.text("avatar"),
    company: { domain, mk_id: "" },
    socials: {
      linkedin_handle: given.text("linkedin_handle") ?? "",
      twitter_handle: given.text("twitter_handle") ?? "",
      crunchbase_handle: given.text("crunchbase_handle") ?? "",
      website: given.text("website") ?? "",
    },
    location: { country, state, city },
    scores: scoresOf(id),
  };
  const { first_name, last_name, name, title, persona } = values;
  return {
    id,
    json: JSON.stringify(item),
    values,
    texts: [email, first_name, last_name, name, title, persona, domain, country, state, city],
  };
}

function nameOf(given: FreeProperties, email: string): string {
  const parts = [given.text("first_name"), given.text("last_name")];
  return parts.filter((part) => part !== undefined && part !== "").join(" ") || email;
}

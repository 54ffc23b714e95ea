import type { z } from "zod";

import type { sandboxRecordSchemas } from "../schemas.ts";
import { Draws } from "./draws.ts";

const names = ["Amber", "Birch", "Cobalt", "Delta", "Ember", "Fjord", "Granite", "Harbor"] as const;
const trades = [
  ["Analytics", "software"],
  ["Payments", "fintech"],
  ["Foods", "retail"],
  ["Freight", "logistics"],
  ["Robotics", "manufacturing"],
] as const;
const places = [
  { country: "France", state: "Île-de-France", city: "Paris" },
  { country: "Germany", state: "Berlin", city: "Berlin" },
  { country: "United States", state: "Texas", city: "Austin" },
  { country: "Japan", state: "Tokyo", city: "Tokyo" },
] as const;
const firstNames = ["Ada", "Bruno", "Chloé", "Dmitri", "Émilie", "Farid", "Grace", "Hana"] as const;
const lastNames = ["Archer", "Bonnet", "Costa", "Dahl", "Engel", "Fischer"] as const;
const titles = ["Head of Data", "CTO", "Marketing Manager", "Sales Director", "Engineer"] as const;
const personas = ["decision maker", "champion", "user", ""] as const;

type Account = z.output<typeof sandboxRecordSchemas.account>;
type Contact = z.output<typeof sandboxRecordSchemas.contact>;

/** The 40 companies that a sandbox knows before anything is ingested. */
export function startingAccounts(): readonly Account[] {
  return names.flatMap((name) =>
    trades.map(([trade, industry]) => account({ name, trade, industry })),
  );
}

/** The 100 persons that a sandbox knows before anything is ingested. */
export function startingContacts(): readonly Contact[] {
  const accounts = startingAccounts();
  return Array.from({ length: 100 }, (_, number) =>
    contact(number + 1, accounts[number % accounts.length]?.domain ?? ""),
  );
}

function account(of: { name: string; trade: string; industry: string }): Account {
  const id = `${of.name}-${of.trade}`.toLowerCase();
  const draws = new Draws(`company ${id}`);
  const { country, city } = draws.pick(places);
  const founded = 1950 + draws.below(75);
  return {
    type: "account",
    account_id: id,
    domain: `${id}.example`,
    account_properties: {
      name: `${of.name} ${of.trade}`,
      // Each is left out of some companies: a result need not have it.
      ...(draws.below(6) > 0 && { industry: of.industry }),
      ...(draws.below(6) > 0 && { employees_count: 5 + draws.below(5_000) }),
      ...(draws.below(6) > 0 && { founded_year: founded }),
      ...(draws.below(3) > 0 && { raised_amount: 1_000 * draws.below(60_000) + 0.5 }),
      active_users: draws.below(200),
      activities_count: draws.below(1_000),
      country,
      city,
      description: `${of.name} ${of.trade} works in ${of.industry}.`,
      logo: `https://${id}.example/logo.png`,
      linkedin_handle: `company/${id}`,
    },
  };
}

function contact(number: number, domain: string): Contact {
  const draws = new Draws(`person ${number}`);
  const first = draws.pick(firstNames);
  const last = draws.pick(lastNames);
  return {
    type: "contact",
    contact_id: `person-${number}`,
    email: `${first}.${last}.${number}@${domain}`
      .normalize("NFD")
      .replace(/[^\w.@-]/g, "")
      .toLowerCase(),
    contact_properties: {
      first_name: first,
      last_name: last,
      title: draws.pick(titles),
      persona: draws.pick(personas),
      ...draws.pick(places),
      ...(draws.below(5) > 0 && { activities: draws.below(100) }),
      ...(draws.below(4) > 0 && { has_left_company: draws.below(4) === 0 }),
    },
  };
}

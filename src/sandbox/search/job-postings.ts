import { Draws } from "./draws.ts";
import type { Findable } from "./items-table.ts";

const titles = [
  ["Backend Engineer", "engineering", "typescript,postgres,temporal"],
  ["Data Engineer", "engineering", "sql,python,pipelines"],
  ["Account Executive", "sales", "b2b,negotiation,crm"],
  ["Customer Success Manager", "support", "onboarding,retention"],
  ["Product Marketer", "marketing", "positioning,launches"],
  ["Accountant", "finance", "ledgers,audits"],
] as const;
const seniorities = ["junior", "senior", "manager"] as const;
const locations = ["Paris, France", "Berlin, Germany", "Lyon, France", "Madrid, Spain"] as const;

const firstDayMs = Date.UTC(2025, 0, 1);
const dayMs = 24 * 3_600_000;

/** A company's openings: none for one company in four, otherwise up to 12; one in sixteen has enough to fill pages. */
function openingsOf(draws: Draws): number {
  const size = draws.below(16);
  if (size < 4) return 0;
  return size === 15 ? 25 + draws.below(30) : 1 + draws.below(12);
}

/**
 * The job postings of a company's domain (docs/facts/service.md#results), derived from the domain alone. One opening in
 * three has a second posting, for its closing.
 */
export function jobPostingsOf(domain: string): readonly Findable[] {
  const openings = openingsOf(new Draws(`openings ${domain}`));
  return Array.from({ length: openings }, (_, number) => opening(domain, number)).flat();
}

function opening(domain: string, number: number): readonly Findable[] {
  const draws = new Draws(`opening ${number} ${domain}`);
  const [title, department, keywords] = draws.pick(titles);
  const seniority = draws.pick(seniorities);
  const day = draws.below(500);
  const posting = {
    company_domain: domain,
    job_opening_title: `${seniority === "junior" ? "Junior" : "Senior"} ${title}`,
    job_opening_url: `https://${domain}/jobs/${number + 1}`,
    keywords: draws.below(5) === 0 ? undefined : keywords,
    categories: draws.below(8) === 0 ? undefined : `${department},${seniority}`,
    location: draws.below(6) === 0 ? undefined : draws.pick(locations),
    event: "first_seen",
    event_on: dateOf(day),
    first_event_on: dateOf(day),
  };
  const closed = { ...posting, event: "closed", event_on: dateOf(day + 1 + draws.below(60)) };
  return (draws.below(3) === 0 ? [posting, closed] : [posting]).map((each) => ({
    id: `${each.job_opening_url} ${each.event}`,
    json: JSON.stringify(each),
    values: each,
    texts: [each.job_opening_title, each.keywords, each.categories, each.location],
  }));
}

function dateOf(day: number): string {
  return new Date(firstDayMs + day * dayMs).toISOString().slice(0, 10);
}

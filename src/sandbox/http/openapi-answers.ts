import { z } from "zod";

import { ingestionAnswers } from "../schemas.ts";
import { issueSchema } from "../upload/upload.ts";

/** The published type of an integer. */
const int32 = z.int32();

const handles = {
  linkedin_handle: z.string().optional(),
  twitter_handle: z.string().optional(),
  crunchbase_handle: z.string().optional(),
  website: z.string().optional(),
};

const score = z.object({ score: z.number(), segment: z.string() });

const common = {
  mk_id: z.string(),
  source_system: z.object({ id: z.string(), system: z.string(), object: z.string() }),
  socials: z.object(handles),
  scores: z.object({
    customer_fit: score.extend({ signals: z.string() }),
    likelihood_to_buy: score,
  }),
};

const account = z.object({
  ...common,
  name: z.string(),
  domain: z.string(),
  logo: z.string().optional(),
  description: z.string().optional(),
  industry: z.string().optional(),
  founded_year: int32.optional(),
  raised_amount: z.number().optional(),
  employees_count: int32.optional(),
  active_users: int32.optional(),
  activities_count: int32.optional(),
  location: z.object({ country: z.string().optional(), city: z.string().optional() }),
});

const person = z.object({
  ...common,
  email: z.string(),
  name: z.string(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  title: z.string().optional(),
  persona: z.string().optional(),
  avatar: z.string().optional(),
  company: z.object({ domain: z.string(), mk_id: z.string() }),
  location: z.object({
    country: z.string().optional(),
    state: z.string().optional(),
    city: z.string().optional(),
  }),
  has_left_company: z.boolean().optional(),
  activities: int32.optional(),
});

const jobPosting = z.object({
  company_domain: z.string(),
  job_opening_title: z.string(),
  job_opening_url: z.url(),
  keywords: z.string().optional(),
  categories: z.string().optional(),
  location: z.string().optional(),
  event: z.enum(["first_seen", "closed"]),
  event_on: z.iso.date(),
  first_event_on: z.iso.date(),
});

const meta = z.object({
  limit: int32,
  total: int32,
  has_next_page: z.boolean(),
  next_cursor: int32.optional(),
});

/** The bodies of answers, by their names in the OpenAPI document. */
export const answerSchemas = {
  Ping: z.object({ status: z.literal("ok") }),
  ...ingestionAnswers,
  AccountPage: z.object({ data: z.array(account), meta }),
  PersonPage: z.object({ data: z.array(person), meta }),
  JobPostingPage: z.object({ data: z.array(jobPosting), meta }),
  Message: z.object({ message: z.string(), details: z.string().optional() }),
  ValidationError: z.object({ detail: z.array(issueSchema) }),
} as const;

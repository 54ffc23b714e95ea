import { z } from "zod";

import type { Answer, SandboxClient } from "../sandbox-client.ts";

/** The paths of what can be searched. */
export const paths = {
  accounts: "/search/accounts",
  persons: "/search/persons",
  job_postings: "/enrichment/job-postings",
} as const;

/** A kind of result. */
export type Resource = keyof typeof paths;

const pageSchema = z.strictObject({
  data: z.array(z.looseObject({})),
  meta: z.strictObject({
    limit: z.int(),
    total: z.int(),
    has_next_page: z.boolean(),
    next_cursor: z.int().optional(),
  }),
});

/** A valid page. */
export type Page = z.output<typeof pageSchema>;

/** Parses an answer as such a page. */
export function pageOf({ status, body }: Answer): Page {
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return pageSchema.parse(body);
}

/** All items of a search, page by page. */
export async function readAll(
  client: SandboxClient,
  resource: Resource,
  body: Readonly<Record<string, unknown>> = {},
): Promise<Page["data"]> {
  const items: Page["data"] = [];
  let cursor: number | undefined;
  do {
    const { data, meta } = pageOf(await client.post(paths[resource], { ...body, cursor }));
    items.push(...data);
    cursor = meta.has_next_page ? meta.next_cursor : undefined;
  } while (cursor !== undefined);
  return items;
}

/** The value that identifies a result. */
export function idOf(item: Readonly<Record<string, unknown>>): string {
  const { mk_id: id, job_opening_url: url, event } = item;
  return typeof id === "string" ? id : `${String(url)} ${String(event)}`;
}

/** A domain that has 73 job postings. */
export const hiringDomain = "delta-foods.example";

import type { PullName } from "../../contract/pull/pull-places.ts";
import { textsOf } from "../lists.ts";
import type { Queries } from "../state-database.ts";

/** The most domains in one statement: each has four parameters, and SQLite takes 32,766 of them. */
const domainsPerStatement = 1_000;

/** How many domains a pull's round has. */
export async function countDomains(queries: Queries, { target, pull }: PullName): Promise<number> {
  const last = await queries
    .selectFrom("pullDomains")
    .select((eb) => eb.fn.max("ordinal").as("ordinal"))
    .where("target", "=", target)
    .where("pull", "=", pull)
    .executeTakeFirst();
  return last?.ordinal ?? 0;
}

/** Adds the domains that a pull's round does not have yet, in their order; to be called inside a transaction. */
export async function addDomainsTo(
  queries: Queries,
  { target, pull }: PullName,
  added: readonly string[],
): Promise<void> {
  const before = await countDomains(queries, { target, pull });
  const known = await queries
    .selectFrom("pullDomains")
    .select("domain")
    .where("target", "=", target)
    .where("pull", "=", pull)
    .where("domain", "in", textsOf(queries, added))
    .execute();
  const there = new Set(known.map(({ domain }) => domain));
  const rows = [...new Set(added)]
    .filter((domain) => !there.has(domain))
    .map((domain, index) => ({ target, pull, ordinal: before + index + 1, domain }));
  for (let from = 0; from < rows.length; from += domainsPerStatement) {
    await queries
      .insertInto("pullDomains")
      .values(rows.slice(from, from + domainsPerStatement))
      .execute();
  }
}

/** The domain with a number in a pull's round; undefined if there is none. */
export async function domainAt(
  queries: Queries,
  { target, pull }: PullName,
  ordinal: number,
): Promise<string | undefined> {
  const found = await queries
    .selectFrom("pullDomains")
    .select("domain")
    .where("target", "=", target)
    .where("pull", "=", pull)
    .where("ordinal", "=", ordinal)
    .executeTakeFirst();
  return found?.domain;
}

import { z } from "zod";

import type { PullName } from "../../contract/pull/pull-places.ts";
import { transactionRowsMax } from "../../limits.ts";
import type { Database } from "../database.ts";
import { count, first } from "../database.ts";

/** The domains of a pull's round, in order; every call but `clear` belongs into a transaction. */
export type PullDomains = {
  /** Adds those that are not there yet. */
  add(name: PullName, domains: readonly string[]): void;
  /** Forgets them all, `transactionRowsMax` in one transaction. */
  clear(name: PullName): void;
  count(name: PullName): number;
  /** Undefined when there is not one of that number. */
  at(name: PullName, ordinal: number): string | undefined;
};

const thisPull = "target = $target and pull = $pull";

/** The domains of a SQLite store. */
export function createPullDomains(db: Database): PullDomains {
  const size = db.prepare(`select coalesce(max(ordinal), 0) from pull_domains where ${thisPull}`);
  const insert = db.prepare(
    `insert or ignore into pull_domains (target, pull, ordinal, domain)
     values ($target, $pull, $ordinal, $domain)`,
  );
  const select = db.prepare(
    `select domain from pull_domains where ${thisPull} and ordinal = $ordinal`,
  );
  const remove = db.prepare(
    `delete from pull_domains where ${thisPull} and ordinal in (
       select ordinal from pull_domains where ${thisPull} limit $limit)`,
  );
  const domains: PullDomains = {
    add: (name, added) => {
      let ordinal = domains.count(name);
      for (const domain of added) {
        const { changes } = insert.run({ ...name, ordinal: ordinal + 1, domain });
        ordinal += Number(changes);
      }
    },
    clear: (name) => {
      const some = { ...name, limit: transactionRowsMax };
      while (db.write(() => Number(remove.run(some).changes)) === transactionRowsMax);
    },
    count: (name) => count(size, { ...name }),
    at: (name, ordinal) =>
      first(z.object({ domain: z.string() }), select, { ...name, ordinal })?.domain,
  };
  return domains;
}

import { createHash } from "node:crypto";

import type { PullName } from "../../contract/pull/pull-places.ts";
import { transactionRowsMax } from "../../limits.ts";
import type { Database } from "../database.ts";
import { count } from "../database.ts";

/** The keys of the results that came in a pull's round. */
export type PullKeys = {
  /** Adds keys and answers how many were there; belongs into a transaction. */
  add(name: PullName, keys: readonly string[]): number;
  count(name: PullName): number;
  /** Forgets them all, `transactionRowsMax` in one transaction. */
  clear(name: PullName): void;
};

/** Bytes of a key's hash: among a hundred million keys two of one hash are less likely than a broken disk. */
const keyBytes = 16;

function hashOf(key: string): Buffer {
  return createHash("sha256").update(key).digest().subarray(0, keyBytes);
}

/** The keys of a SQLite store. */
export function createPullKeys(db: Database): PullKeys {
  const insert = db.prepare(
    "insert or ignore into pull_keys (target, pull, key) values ($target, $pull, $key)",
  );
  const size = db.prepare("select count(*) from pull_keys where target = $target and pull = $pull");
  const remove = db.prepare(
    `delete from pull_keys where (target, pull, key) in (
       select target, pull, key from pull_keys where target = $target and pull = $pull limit $limit)`,
  );
  return {
    add: (name, keys) => {
      let known = 0;
      for (const key of keys) {
        if (insert.run({ ...name, key: hashOf(key) }).changes === 0) known += 1;
      }
      return known;
    },
    count: (name) => count(size, { ...name }),
    clear: (name) => {
      const step = { ...name, limit: transactionRowsMax };
      while (db.write(() => Number(remove.run(step).changes)) === transactionRowsMax);
    },
  };
}

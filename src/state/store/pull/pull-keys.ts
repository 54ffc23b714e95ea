import { createHash } from "node:crypto";

import type { PullName } from "../../contract/pull/pull-places.ts";
import type { Queries } from "../state-database.ts";

/** Bytes of a key's hash: two equal ones among a hundred million keys are less likely than a broken disk. */
const keyBytes = 16;

/** The most keys in one statement: each has three parameters, and SQLite takes 32,766 of them. */
const keysPerStatement = 1_000;

function hashOf(key: string): Buffer {
  return createHash("sha256").update(key).digest().subarray(0, keyBytes);
}

/** Adds keys of results of a pull's round; returns how many were there; to be called inside a transaction. */
export async function addPullKeys(
  queries: Queries,
  { target, pull }: PullName,
  keys: readonly string[],
): Promise<number> {
  let added = 0;
  for (let from = 0; from < keys.length; from += keysPerStatement) {
    const some = keys.slice(from, from + keysPerStatement);
    const { numInsertedOrUpdatedRows = 0n } = await queries
      .insertInto("pullKeys")
      .values(some.map((key) => ({ target, pull, key: hashOf(key) })))
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    added += Number(numInsertedOrUpdatedRows);
  }
  return keys.length - added;
}

/** How many keys came in a pull's round. */
export async function countPullKeys(queries: Queries, { target, pull }: PullName): Promise<number> {
  const found = await queries
    .selectFrom("pullKeys")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("target", "=", target)
    .where("pull", "=", pull)
    .executeTakeFirstOrThrow();
  return found.count;
}

import { sql } from "kysely";
import { z } from "zod";

import type { SyncName } from "../../contract/runs/checkpoints.ts";
import type { StageName } from "../../contract/sends/stagings.ts";
import { superseded } from "../../store/sends/named.ts";
import type { Queries } from "../../store/state-database.ts";
import type { PostgresDatabase } from "../database.ts";

const setRow = z.object({ id: z.int(), validAfter: z.int(), nextId: z.int() }).readonly();

/** A set whose row this transaction has locked. */
export type LockedSet = z.output<typeof setRow>;

/** Makes the set of a sync if there is none. */
async function makeSet(database: PostgresDatabase, { target, sync }: SyncName): Promise<void> {
  await database.lockAndWrite(async (queries) => {
    await queries
      .insertInto("fingerprintSets")
      .values({ target, sync })
      .onConflict((conflict) => conflict.columns(["target", "sync"]).doNothing())
      .execute();
  });
}

/** Locks the row of a sync's set. */
async function lockSet(
  queries: Queries,
  { target, sync }: SyncName,
): Promise<LockedSet | undefined> {
  const found = await queries
    .selectFrom("fingerprintSets")
    .select(["id", "validAfter", "nextId"])
    .where("target", "=", target)
    .where("sync", "=", sync)
    .forUpdate()
    .executeTakeFirst();
  return found === undefined ? undefined : setRow.parse(found);
}

/** The last transaction of this process that locks each set. */
const turns = new WeakMap<PostgresDatabase, Map<string, Promise<void>>>();

/** Runs `work` once those of this process that lock the same set have ended, so that one connection at a time waits. */
async function inTurn<Result>(
  database: PostgresDatabase,
  { target, sync }: SyncName,
  work: () => Promise<Result>,
): Promise<Result> {
  const ofDatabase = turns.get(database) ?? new Map<string, Promise<void>>();
  turns.set(database, ofDatabase);
  const set = JSON.stringify([target, sync]);
  const before = ofDatabase.get(set);
  const { promise, resolve } = Promise.withResolvers<void>();
  ofDatabase.set(set, promise);
  await before;
  try {
    return await work();
  } finally {
    resolve();
    if (ofDatabase.get(set) === promise) ofDatabase.delete(set);
  }
}

/**
 * Runs `work` in a transaction that first locks the set of a sync, and makes the set if there is none. Work that does
 * not need the lock is done in `before`, because others wait for the lock. Every transaction that judges keys of a set,
 * draws their ids or forgets what is known of them begins like this, in any process, so that they run one after the
 * other. READ COMMITTED is therefore enough for them: each statement after the lock sees everything that the
 * transaction before wrote. Other changes (a part that leaves or is refused, a commit, an abandoned staging) alter what
 * is found by a key in one transaction, which the one statement that looks it up sees whole or not at all.
 */
export async function withLockedSet<Result>(
  database: PostgresDatabase,
  { before, ...name }: SyncName & { readonly before?: (queries: Queries) => Promise<unknown> },
  work: (queries: Queries, set: LockedSet) => Promise<Result>,
): Promise<Result> {
  return await inTurn(database, name, async () => {
    for (;;) {
      const done = await database.lockAndWrite(async (queries) => {
        await before?.(queries);
        const set = await lockSet(queries, name);
        return set === undefined ? undefined : { result: await work(queries, set) };
      });
      if (done !== undefined) return done.result;
      await makeSet(database, name);
    }
  });
}

const sendRow = z.object({ send: z.int() });

/**
 * Ensures that a staging is the newest of its chunk and has not ended, and that it stays so until this transaction
 * ends; returns its number.
 * @throws {SupersededError} it is not.
 */
export async function holdStaging(queries: Queries, name: StageName): Promise<number> {
  const { rows } = await sql`
    select send from ${sql.table("stagings")}
    where run_id = ${name.runId} and chunk = ${name.chunk} and stage = ${name.stage} and state = 'staging'
    for share`.execute(queries);
  if (rows.length === 0) throw superseded(name);
  return sendRow.parse(rows[0]).send;
}

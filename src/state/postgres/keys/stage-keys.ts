import { sql } from "kysely";
import { z } from "zod";

import type { JudgedKeys, KeysToStage } from "../../contract/keys/fingerprints.ts";
import { assertIdsLeft } from "../../rules/keys/ids-left.ts";
import { ageOfRow, type JudgedSet, judgeKeys, type KeysToPut } from "../../rules/keys/judge.ts";
import type { HashedKeys } from "../../rules/keys/key-hashes.ts";
import { inTransactions } from "../../rules/keys/steps.ts";
import { findSet, setIdOf } from "../../store/keys/fingerprint-sets.ts";
import { textsOf } from "../../store/lists.ts";
import type { Queries } from "../../store/state-database.ts";
import { textAt } from "../../text-block.ts";
import { newestAges } from "./ages.ts";
import { type FoundAtOnce, isAnyStaged, lookUp } from "./look-up.ts";
import { settleStaged } from "./merging.ts";
import { holdStaging, type LockedSet, withLockedSet } from "./set-lock.ts";
import { foldSightings, SeenHere } from "./sightings.ts";
import { type KeyToStage, putStaged } from "./staged-keys.ts";
import type { StoreKeys } from "./store-keys.ts";

/** A call, and the results for its rows. */
type Staging = {
  readonly input: KeysToStage;
  readonly hashed: HashedKeys;
  readonly verdicts: Uint8Array;
  /** The ids of the fingerprints of rows that leave, as `JudgedKeys` has them. */
  readonly ids: Int32Array;
};

/** Makes a function that returns whether the key of one of these rows is in doubt. */
async function doubtedOf(
  queries: Queries,
  { setId, keys, order }: { setId: number; keys: KeysToStage["keys"]; order: readonly number[] },
): Promise<JudgedSet["isDoubted"]> {
  const texts = textsOf(
    queries,
    order.map((index) => textAt(keys, index)),
  );
  const { rows } = await sql`
    select distinct key from ${sql.table("doubts")} where set_id = ${setId} and key in ${texts}`.execute(
    queries,
  );
  const doubted = new Set(
    z
      .array(z.object({ key: z.string() }))
      .parse(rows)
      .map(({ key }) => key),
  );
  return (index) => doubted.has(textAt(keys, index));
}

/** What keys are judged with. */
type Judging = {
  readonly queries: Queries;
  readonly set: Pick<LockedSet, "id" | "validAfter">;
  readonly isSeen: () => Promise<(id: number) => boolean>;
};

/** Looks up the keys of a step, and everything that they are judged against. */
async function gather(
  { queries, set, isSeen }: Judging,
  { input, hashed }: Pick<Staging, "hashed" | "input">,
  order: readonly number[],
): Promise<{ readonly found: FoundAtOnce; readonly against: Omit<JudgedSet, "note"> }> {
  const { hashes, keys, ages, full, begunAt, committedAfter = 0, rejectDuplicates } = input;
  const { id: setId, validAfter } = set;
  const hasStaged = await isAnyStaged(queries, setId);
  const look = async (asksSends: boolean): Promise<FoundAtOnce> =>
    await lookUp(
      queries,
      { setId, hashed, hashes, order },
      { validAfter, committedAfter, asksSends, hasStaged },
    );
  const asked = full || begunAt !== undefined;
  let found = await look(asked);
  // In that case known records may leave, too.
  if (found.isAnyInDoubt && !asked) found = await look(true);
  // After the look-up: a key that it found known and that is not in doubt now was not in doubt then.
  const isDoubted = found.isAnyInDoubt
    ? await doubtedOf(queries, { setId, keys, order })
    : undefined;
  const ids =
    ages === undefined ? [] : found.ids.flatMap((id) => (id === null ? [] : [Math.abs(id)]));
  const newest = await newestAges(queries, setId, ids);
  const facts = found.facts;
  return {
    found,
    against: {
      validAfter,
      mappings: found.mappings,
      isDoubted,
      isSeen: rejectDuplicates ? await isSeen() : () => false,
      factsOf: (send) => facts.get(send),
      newestOf: (id) => newest.get(id) ?? 0,
    },
  };
}

/** The keys that leave, with an id for each; new keys get consecutive ids from `nextId` on. */
function drawIds(put: KeysToPut, nextId: number): (KeyToStage & { readonly said: number })[] {
  let next = nextId;
  const leaving = [...put.added].map(([index, times]) => {
    const id = next++;
    return { index, id, times, isDrawn: true, said: -id };
  });
  const known = [...put.known].map(([index, { id, times, wasTaken }]) => {
    return { index, id, times, isDrawn: false, said: wasTaken ? id : -id };
  });
  return [...leaving, ...known];
}

/** Judges one step of a call, and writes the results for its keys; returns the id to draw next. */
async function judgeStep(
  judging: Judging,
  staging: Staging,
  { order, nextId, here }: { order: readonly number[]; nextId: number; here: SeenHere },
): Promise<number> {
  const { queries, set } = judging;
  const { input, hashed, verdicts, ids } = staging;
  const { found, against } = await gather(judging, staging, order);
  const note: JudgedSet["note"] = (id, age) => here.note(id, age);
  const put = judgeKeys(input, { ...against, note }, { ...found, order, verdicts });
  assertIdsLeft(input, { nextId, added: put.added.size });
  const leaving = drawIds(put, nextId);
  for (const index of order) ids[index] = 0;
  for (const { index, said } of leaving) ids[index] = said;
  const fresh = leaving.slice(0, put.added.size);
  for (const { index, id } of fresh) here.note(id, ageOfRow(input, index));
  await putStaged(
    queries,
    { setId: set.id, send: input.send, hashed, hashes: input.hashes },
    leaving,
  );
  return nextId + fresh.length;
}

/** Judges some steps of a call; inside a transaction that has locked the set. */
async function judgeSome(
  keys: StoreKeys,
  { queries, set, staging }: { queries: Queries; set: LockedSet; staging: Staging },
  steps: ReturnType<typeof inTransactions>[number],
): Promise<void> {
  const { input } = staging;
  const at = { setId: set.id, runId: input.runId };
  const judging = { queries, set, isSeen: keys.seen.begin(queries, at) };
  let { nextId } = set;
  for (const order of steps) {
    const here = new SeenHere();
    nextId = await judgeStep(judging, staging, { order, nextId, here });
    if (here.isEmpty) continue;
    if (keys.folded.get(set.id) !== input.runId) {
      await foldSightings(queries, at);
      keys.folded.set(set.id, input.runId);
    }
    await here.write(queries, set.id);
  }
  if (nextId === set.nextId) return;
  await queries.updateTable("fingerprintSets").set({ nextId }).where("id", "=", set.id).execute();
}

/** Makes `stageKeys` of a store in Postgres. */
export function createStaging(keys: StoreKeys): (input: KeysToStage) => Promise<JudgedKeys> {
  const { database } = keys;
  return async (input) => {
    const { queries: outside } = database.state;
    let setId = await setIdOf(outside, input);
    if (setId === 0) setId = await withLockedSet(database, input, async (_, set) => set.id);
    await settleStaged(database, setId);
    const hashesOf = await keys.hashes(outside);
    const hashed = hashesOf(setId, input.keys);
    const count = input.keys.ends.length;
    const staging = { input, hashed, verdicts: new Uint8Array(count), ids: new Int32Array(count) };
    for (const steps of inTransactions(hashed)) {
      const before = async (queries: Queries) => await holdStaging(queries, input);
      await withLockedSet(database, { ...input, before }, async (queries, set) => {
        await judgeSome(keys, { queries, set, staging }, steps);
      });
    }
    return { verdicts: staging.verdicts, leaving: staging.ids.filter((id) => id !== 0) };
  };
}

/** Makes `judgeKeys` of a store in Postgres. */
export function createJudging(keys: StoreKeys): (input: KeysToStage) => Promise<Uint8Array> {
  return async (input) => {
    const { queries } = keys.database.state;
    const verdicts = new Uint8Array(input.keys.ends.length);
    const set = await findSet(queries, input);
    if (set === undefined) return verdicts;
    const hashed = (await keys.hashes(queries))(set.id, input.keys);
    const judging = { queries, set, isSeen: async () => await Promise.resolve(() => false) };
    for (const order of inTransactions(hashed).flat()) {
      const { found, against } = await gather(judging, { input, hashed }, order);
      judgeKeys(input, { ...against, note: () => undefined }, { ...found, order, verdicts });
    }
    return verdicts;
  };
}

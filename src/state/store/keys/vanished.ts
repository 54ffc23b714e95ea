import { z } from "zod";

import type { Remote } from "../../../thread.ts";
import {
  type Gone,
  goneRow,
  type Vanished,
  type VanishedStore,
} from "../../contract/keys/vanished.ts";
import { IdSet } from "../../rules/keys/id-set.ts";
import { bytesOfNumbers, numbers } from "../../rules/keys/seen-rows.ts";
import { placeIn } from "../dialect.ts";
import { reads, writes } from "../methods.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { setIdOf, setIdOfRun } from "./fingerprint-sets.ts";

/** What each database knows of the ids of keys in its own way. */
export type KeyIds = {
  /** The ids that a run saw, in stagings that it did not abandon. */
  seenBy(
    this: void,
    queries: Queries,
    of: { readonly setId: number; readonly runId: string },
  ): Promise<IdSet>;
  /** The ids of some keys; a key that has none is left out. */
  idsOf(this: void, queries: Queries, setId: number, keys: readonly string[]): Promise<number[]>;
};

/** How many keys of rejects are looked up at once. */
const keysAtOnce = 10_000;

const readingRow = z.object({
  runId: z.string(),
  ids: z.instanceof(Uint8Array).transform((bytes) => IdSet.of(bytes)),
});

const keyRow = z.object({ key: z.string() });

const vanishedRow = goneRow.unwrap().extend({ ids: numbers });

/** With the place of an id among the bytes of `ids`, from 1; 0 if it is not there. */
const placedRow = goneRow.unwrap().extend({ place: z.int() });

/** What the last whole reading of a set brought. */
async function lastReading(
  queries: Queries,
  setId: number,
): Promise<z.output<typeof readingRow> | undefined> {
  const found = await queries
    .selectFrom("wholeReadings")
    .select(["runId", "ids"])
    .where("setId", "=", setId)
    .executeTakeFirst();
  return found === undefined ? undefined : readingRow.parse(found);
}

async function keepIds(
  queries: Queries,
  { setId, runId, ids }: { readonly setId: number; readonly runId: string; readonly ids: IdSet },
): Promise<void> {
  const reading = { runId, ids: ids.bytes() };
  await queries
    .insertInto("wholeReadings")
    .values({ setId, ...reading })
    .onConflict((conflict) => conflict.column("setId").doUpdateSet(reading))
    .execute();
}

/** The ids that a run brought: of keys that it saw, and of its rejects, of which the service may hold a record. */
async function broughtBy(
  queries: Queries,
  keyIds: KeyIds,
  of: { readonly setId: number; readonly runId: string },
): Promise<IdSet> {
  const ids = IdSet.of((await keyIds.seenBy(queries, of)).bytes());
  const rejected = await queries
    .selectFrom("rejects")
    .select("key")
    .distinct()
    .where("runId", "=", of.runId)
    .where("key", "is not", null)
    .execute();
  const keys = rejected.map((row) => keyRow.parse(row).key);
  for (let from = 0; from < keys.length; from += keysAtOnce) {
    const some = keys.slice(from, from + keysAtOnce);
    for (const id of await keyIds.idsOf(queries, of.setId, some)) ids.add(id);
  }
  return ids;
}

/** The set of a run's sync; undefined once the run has ended: a late worker must not undo a later reading. */
async function setOfOpenRun(queries: Queries, runId: string): Promise<number | undefined> {
  const open = await queries
    .selectFrom("runs")
    .select("runId")
    .where("runId", "=", runId)
    .where("endedAt", "is", null)
    .executeTakeFirst();
  return open === undefined ? undefined : await setIdOfRun(queries, runId);
}

async function noteVanished(queries: Queries, runId: string, vanished: number): Promise<void> {
  await queries.updateTable("runs").set({ vanished }).where("runId", "=", runId).execute();
}

async function countVanished(
  queries: Queries,
  keyIds: KeyIds,
  runId: string,
): Promise<Vanished | undefined> {
  const setId = await setOfOpenRun(queries, runId);
  if (setId === undefined) return undefined;
  const before = await lastReading(queries, setId);
  if (before === undefined || before.runId === runId) return undefined;
  const brought = await broughtBy(queries, keyIds, { setId, runId });
  const vanished = before.ids.without(brought).length;
  await noteVanished(queries, runId, vanished);
  return { vanished, of: before.ids.size };
}

/** Removes keys that are there again from the vanished ones. */
async function takeBack(queries: Queries, setId: number, there: IdSet): Promise<void> {
  const found = await queries
    .selectFrom("vanished")
    .select(["runId", "at", "ids"])
    .where("setId", "=", setId)
    .execute();
  for (const row of found) {
    const { runId, ids } = vanishedRow.parse(row);
    const left = ids.filter((id) => !there.has(id));
    if (left.length === ids.length) continue;
    await queries
      .updateTable("vanished")
      .set({ ids: bytesOfNumbers(left) })
      .where("setId", "=", setId)
      .where("runId", "=", runId)
      .execute();
  }
  await queries
    .deleteFrom("vanished")
    .where("setId", "=", setId)
    .where("ids", "=", new Uint8Array())
    .execute();
}

async function keepReading(
  queries: Queries,
  keyIds: KeyIds,
  { runId, at }: Parameters<VanishedStore["keepReading"]>[0],
): Promise<void> {
  const setId = (await setOfOpenRun(queries, runId)) ?? 0;
  const before = await lastReading(queries, setId);
  if (setId === 0 || before?.runId === runId) return;
  const ids = await broughtBy(queries, keyIds, { setId, runId });
  await keepIds(queries, { setId, runId, ids });
  if (before === undefined) return;
  await takeBack(queries, setId, ids);
  const gone = before.ids.without(ids);
  await noteVanished(queries, runId, gone.length);
  if (gone.length === 0) return;
  await queries
    .insertInto("vanished")
    .values({ setId, runId, at, ids: bytesOfNumbers(gone) })
    .execute();
}

/**
 * The run that was the first to miss an id. The database searches the ids, because a source that went away leaves
 * millions: they are read here only if the four bytes match across two ids.
 */
async function missedBy(
  queries: Queries,
  { setId, id }: { readonly setId: number; readonly id: number },
): Promise<Gone | null> {
  const found = await queries
    .selectFrom("vanished")
    .select([
      "runId",
      "at",
      placeIn(queries, "ids", bytesOfNumbers(Uint32Array.of(id))).as("place"),
    ])
    .where("setId", "=", setId)
    .execute();
  for (const row of found) {
    const { place, ...gone } = placedRow.parse(row);
    if (place === 0) continue;
    if (place % Uint32Array.BYTES_PER_ELEMENT === 1) return gone;
    const { ids } = await queries
      .selectFrom("vanished")
      .select("ids")
      .where("setId", "=", setId)
      .where("runId", "=", gone.runId)
      .executeTakeFirstOrThrow();
    if (numbers.parse(ids).includes(id)) return gone;
  }
  return null;
}

async function goneSince(
  queries: Queries,
  keyIds: KeyIds,
  { keys, ...name }: Parameters<VanishedStore["goneSince"]>[0],
): Promise<(Gone | null)[]> {
  const setId = await setIdOf(queries, name);
  const gone: (Gone | null)[] = [];
  for (const key of keys) {
    const [id] = await keyIds.idsOf(queries, setId, [key]);
    gone.push(id === undefined ? null : await missedBy(queries, { setId, id }));
  }
  return gone;
}

/** Makes keys count as never there, before what is known of them is erased; to be called inside a transaction. */
export async function forgetBrought(
  queries: Queries,
  keyIds: KeyIds,
  { setId, keys }: { readonly setId: number; readonly keys: readonly string[] },
): Promise<void> {
  const erased = new IdSet();
  for (const id of await keyIds.idsOf(queries, setId, keys)) erased.add(id);
  await takeBack(queries, setId, erased);
  const before = await lastReading(queries, setId);
  if (before === undefined) return;
  const ids = new IdSet();
  for (const id of before.ids.without(erased)) ids.add(id);
  await keepIds(queries, { setId, runId: before.runId, ids });
}

/** The vanished keys of a store. */
export function createVanishedStore(db: StateDatabase, keyIds: KeyIds): Remote<VanishedStore> {
  return {
    countVanished: writes(
      db,
      async (queries, { runId }: Parameters<VanishedStore["countVanished"]>[0]) =>
        await countVanished(queries, keyIds, runId),
    ),
    keepReading: writes(
      db,
      async (queries, input: Parameters<VanishedStore["keepReading"]>[0]) =>
        await keepReading(queries, keyIds, input),
    ),
    goneSince: reads(
      db,
      async (queries, input: Parameters<VanishedStore["goneSince"]>[0]) =>
        await goneSince(queries, keyIds, input),
    ),
  };
}

import { SupersededError } from "../../../errors.ts";
import { jsonColumn } from "../../contract/json-column.ts";
import { placeRow, type PullName, type StoredPlace } from "../../contract/pull/pull-places.ts";
import { toJson } from "../json.ts";
import type { Queries } from "../state-database.ts";

// Functions that write are called inside a transaction.

const placeColumns = [
  "version",
  "begunBy",
  "queryHash",
  "writeHash",
  "isListed",
  "ordinal",
  "walk",
  "isAsking",
  "isDone",
  "steps",
] as const;

/** A pull's place; undefined when it never ran. */
export async function placeOfPull(
  queries: Queries,
  { target, pull }: PullName,
): Promise<StoredPlace | undefined> {
  const found = await queries
    .selectFrom("pulls")
    .select(placeColumns)
    .where("target", "=", target)
    .where("pull", "=", pull)
    .executeTakeFirst();
  return found === undefined ? undefined : placeRow.parse(found);
}

/** Replaces a pull's place. */
export async function savePlace(
  queries: Queries,
  { target, pull }: PullName,
  { isListed, isAsking, isDone, pass, ...place }: StoredPlace,
): Promise<void> {
  const flags = { isListed: Number(isListed), isAsking: Number(isAsking), isDone: Number(isDone) };
  const saved = { ...place, ...flags, walk: toJson(pass) };
  await queries
    .insertInto("pulls")
    .values({ target, pull, ...saved })
    .onConflict((conflict) => conflict.columns(["target", "pull"]).doUpdateSet(saved))
    .execute();
}

/** Changes part of a pull's place, if it has one. */
export async function changePlace(
  queries: Queries,
  name: PullName,
  to: Partial<StoredPlace>,
): Promise<void> {
  const place = await placeOfPull(queries, name);
  if (place !== undefined) await savePlace(queries, name, { ...place, ...to });
}

/** The page that a pull keeps; null when there is none. */
export async function keptPage(queries: Queries, { target, pull }: PullName): Promise<unknown> {
  const found = await queries
    .selectFrom("pullPages")
    .select("page")
    .where("target", "=", target)
    .where("pull", "=", pull)
    .executeTakeFirst();
  return found === undefined ? null : jsonColumn.parse(found.page);
}

/** Whether a pull keeps a page: says it without reading that, which may be large. */
export async function hasPage(queries: Queries, { target, pull }: PullName): Promise<boolean> {
  const found = await queries
    .selectFrom("pullPages")
    .select("pull")
    .where("target", "=", target)
    .where("pull", "=", pull)
    .executeTakeFirst();
  return found !== undefined;
}

/** Replaces the page that a pull keeps; null keeps none. */
export async function setPage(
  queries: Queries,
  { target, pull }: PullName,
  kept: unknown,
): Promise<void> {
  const page = toJson(kept);
  if (page === null) {
    await queries
      .deleteFrom("pullPages")
      .where("target", "=", target)
      .where("pull", "=", pull)
      .execute();
    return;
  }
  await queries
    .insertInto("pullPages")
    .values({ target, pull, page })
    .onConflict((conflict) => conflict.columns(["target", "pull"]).doUpdateSet({ page }))
    .execute();
}

/** @throws {SupersededError} the run does not hold its pull's lock. */
export async function assertPullHeld(queries: Queries, runId: string): Promise<void> {
  const held = await queries
    .selectFrom("locks")
    .select("name")
    .where("runId", "=", runId)
    .where("held", "=", 1)
    .executeTakeFirst();
  if (held !== undefined) return;
  throw new SupersededError(`run ${runId} does not hold the lock of its pull any more`, {
    hint: "look at `sluice runs list`: a later run continues where this one stopped",
  });
}

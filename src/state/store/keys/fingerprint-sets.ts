import { z } from "zod";

import type { SyncName } from "../../contract/runs/checkpoints.ts";
import type { Queries } from "../state-database.ts";

const setRow = z
  .object({
    id: z.int(),
    validAfter: z.int(),
    nextId: z.int(),
    isRestored: z.int().transform(Boolean),
  })
  .readonly();

/** What the service is known to hold for one sync at one target. */
export type SyncFingerprints = z.output<typeof setRow>;

/** The set of a sync; undefined if nothing of it was ever to be sent. */
export async function findSet(
  queries: Queries,
  { target, sync }: SyncName,
): Promise<SyncFingerprints | undefined> {
  const found = await queries
    .selectFrom("fingerprintSets")
    .select(["id", "validAfter", "nextId", "isRestored"])
    .where("target", "=", target)
    .where("sync", "=", sync)
    .executeTakeFirst();
  return found === undefined ? undefined : setRow.parse(found);
}

/** The number of a sync's set; 0 if it has none. */
export async function setIdOf(queries: Queries, name: SyncName): Promise<number> {
  return (await findSet(queries, name))?.id ?? 0;
}

/** The number of the set of a run's sync; 0 if it has none. */
export async function setIdOfRun(queries: Queries, runId: string): Promise<number> {
  const found = await queries
    .selectFrom("fingerprintSets as f")
    .innerJoin("runs as r", (join) =>
      join.onRef("r.target", "=", "f.target").onRef("r.sync", "=", "f.sync"),
    )
    .select("f.id")
    .where("r.runId", "=", runId)
    .executeTakeFirst();
  return found?.id ?? 0;
}

/** Makes the set of a run's sync if there is none, and returns its number; to be called inside a transaction. */
export async function haveSetOfRun(queries: Queries, runId: string): Promise<number> {
  const known = await setIdOfRun(queries, runId);
  if (known !== 0) return known;
  const run = await queries
    .selectFrom("runs")
    .select(["target", "sync"])
    .where("runId", "=", runId)
    .executeTakeFirst();
  if (run === undefined) return 0;
  const made = await queries
    .insertInto("fingerprintSets")
    .values(run)
    .returning("id")
    .executeTakeFirstOrThrow();
  return made.id;
}

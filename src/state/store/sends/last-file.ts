import type { Remote } from "../../../thread.ts";
import type { LastFileStore } from "../../contract/sends/last-file.ts";
import { reads } from "../methods.ts";
import type { Queries, StateDatabase } from "../state-database.ts";

async function lastFileAt(
  queries: Queries,
  { target, syncs, since }: Parameters<LastFileStore["lastFileAt"]>[0],
): Promise<number | null> {
  // An empty list is not valid SQL.
  if (syncs.length === 0) return null;
  const runs = queries
    .selectFrom("runs")
    .select("runId")
    .where("target", "=", target)
    .where("sync", "in", syncs)
    .where((run) => run.or([run("endedAt", "is", null), run("endedAt", ">=", since)]));
  const newest = await queries
    .selectFrom("receipts")
    .select(({ fn }) => fn.max("updatedAt").as("at"))
    .where("form", "=", "file")
    .where("state", "in", ["accepted", "committed"])
    .where("runId", "in", runs)
    .executeTakeFirst();
  const at = newest?.at ?? null;
  return at === null ? null : Date.parse(at);
}

/** When the newest files of syncs were accepted, in a store. */
export function createLastFileStore(db: StateDatabase): Remote<LastFileStore> {
  return { lastFileAt: reads(db, lastFileAt) };
}

import type { Remote } from "../../../thread.ts";
import type { CommitStore } from "../../contract/sends/commit.ts";
import type { StageName } from "../../contract/sends/stagings.ts";
import type { KeyKeeping } from "../keys/key-keeping.ts";
import type { Queries, StateDatabase } from "../state-database.ts";
import { holdStaged } from "./stagings.ts";

/** The number of a staging that may still be committed and of which something has left; otherwise undefined. */
async function sendOnItsWay(
  queries: Queries,
  { runId, chunk, stage }: StageName,
): Promise<number | undefined> {
  const found = await queries
    .selectFrom("stagings as s")
    .innerJoin("receipts as r", (join) =>
      join
        .onRef("r.runId", "=", "s.runId")
        .onRef("r.chunk", "=", "s.chunk")
        .onRef("r.stage", "=", "s.stage"),
    )
    .select("s.send")
    .where("s.runId", "=", runId)
    .where("s.chunk", "=", chunk)
    .where("s.stage", "=", stage)
    .where("s.state", "=", "staged")
    .where("r.attempts", ">", 0)
    .limit(1)
    .executeTakeFirst();
  return found?.send;
}

/**
 * Makes a function that writes the keys of a chunk while it is on its way. A chunk abandoned before something of it
 * left leaves the fingerprints as they were; abandoned later, it makes each of its keys unknown, as they are when
 * written here.
 */
export function createPreparing(
  db: StateDatabase,
  keys: KeyKeeping,
): Remote<CommitStore>["prepareCommit"] {
  return async (name) => {
    const { noteTaken } = keys;
    if (noteTaken === undefined) return;
    const send = await sendOnItsWay(db.queries, name);
    if (send === undefined) return;
    const of = { runId: name.runId, send };
    const steps = await keys.steps(db.queries, of);
    if (steps.length === 0) return;
    const last = async (queries: Queries): Promise<void> => await noteTaken(queries, of);
    await db.writeParts([...steps, last], async (queries, write) => {
      await holdStaged(queries, name);
      if ((await sendOnItsWay(queries, name)) !== undefined) await write(queries);
    });
  };
}

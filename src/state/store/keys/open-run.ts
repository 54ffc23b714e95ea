import { BusyError } from "../../../errors.ts";
import type { SyncName } from "../../contract/runs/checkpoints.ts";
import type { Queries } from "../state-database.ts";

/** @throws {BusyError} a run of the sync is open, held or not: it goes by what is known of its keys. */
export async function assertNoOpenRun(queries: Queries, { target, sync }: SyncName): Promise<void> {
  const open = await queries
    .selectFrom("runs")
    .select("runId")
    .where("target", "=", target)
    .where("sync", "=", sync)
    .where("kind", "<>", "pull")
    .where("endedAt", "is", null)
    .executeTakeFirst();
  if (open === undefined) return;
  throw new BusyError(`run ${open.runId} of sync ${sync} is open`, {
    hint: `wait for it, or \`sluice cancel ${open.runId}\`; one that is held is ended by \`sluice discard\``,
  });
}

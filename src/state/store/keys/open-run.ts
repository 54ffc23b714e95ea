import { BusyError } from "../../../errors.ts";
import type { SyncName } from "../../contract/runs/checkpoints.ts";
import { openHold } from "../../contract/runs/holds.ts";
import { runRow } from "../../contract/runs/runs.ts";
import type { Queries } from "../state-database.ts";

/** @throws {BusyError} a run of the sync is open, held or not: it relies on what is known of its keys. */
export async function assertNoOpenRun(queries: Queries, { target, sync }: SyncName): Promise<void> {
  const open = await queries
    .selectFrom("runs")
    .selectAll()
    .where("target", "=", target)
    .where("sync", "=", sync)
    .where("kind", "<>", "pull")
    .where("endedAt", "is", null)
    .executeTakeFirst();
  if (open === undefined) return;
  const { runId } = open;
  const isHeld = openHold(runRow.parse(open)) !== undefined;
  throw new BusyError(`run ${runId} of sync ${sync} is ${isHeld ? "held" : "open"}`, {
    hint: isHeld
      ? `\`sluice approve ${runId}\` or \`sluice discard ${runId}\` first`
      : `wait for it, or \`sluice cancel ${runId}\``,
  });
}

import { connectorOf } from "../../connectors/source.ts";
import { isOneEach } from "../../src/backfill/repeats.ts";
import type { SyncConfig } from "../../src/config/config.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { Dependencies } from "../dependencies.ts";

/**
 * Whether a second row of one record must stop a backfill. It must where the older row could be sent last, because the
 * backfill has an end or several lanes, and only reading shows whether a record has several rows.
 */
export async function mustBeOneEach(
  deps: Pick<Dependencies, "sources" | "state">,
  { run, sync }: { readonly run: Run; readonly sync: SyncConfig },
  signal: AbortSignal,
): Promise<boolean> {
  const source = connectorOf(deps, sync.connector);
  const resumes = source.restart?.(sync.connectorConfig) !== "each-run";
  const plan =
    run.kind === "backfill" && resumes ? (await deps.state.plan(run.runId))?.plan : undefined;
  if (plan === undefined) return false;
  const { keys, lanes, limit, to } = plan;
  const endsWithNewest = keys === null && limit === null && to === null && lanes.length === 1;
  return !endsWithNewest && !(await isOneEach(sync, source, signal));
}

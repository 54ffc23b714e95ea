import { followsRows } from "../../connectors/judging.ts";
import { connectorOf } from "../../connectors/source.ts";
import type { SyncConfig } from "../../src/config/config.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { Dependencies } from "../dependencies.ts";

/**
 * When a run of a sync with `send: all` opens, forgets what is known of the sync unless it still holds. It does not
 * once rows are sent that nobody follows, or everything is sent again. Call it once the run has its place.
 */
export async function forgetUnfollowed(
  deps: Pick<Dependencies, "sources" | "state" | "target">,
  sync: SyncConfig,
  runId: string,
): Promise<void> {
  const { state, target } = deps;
  const run = await state.run(runId);
  if (sync.send !== "all" || run?.kind === "resend") return;
  const source = connectorOf(deps, sync.connector);
  const goesOn = run !== undefined && run.fromPosition !== null && followsRows(source, sync, run);
  if (!goesOn) await state.forgetFingerprints({ target, sync: sync.name });
}

/** Forgets the rows that no later run goes back over: those that this run, now at its end, did not go back over. */
export async function forgetPassed(
  { config, sources, state }: Pick<Dependencies, "config" | "sources" | "state">,
  run: Run,
): Promise<void> {
  const { runId, target, sync: name, request, configHash } = run;
  const sync = config.syncs.get(name);
  const isWhole = request.limit === undefined;
  // Closed by a worker with another configuration.
  if (sync?.configHash !== configHash || sync.send !== "all" || !isWhole) return;
  if (!followsRows(connectorOf({ sources }, sync.connector), sync, run)) return;
  await state.forgetSeenBefore({ target, sync: name, runId });
}

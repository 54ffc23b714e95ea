import { followsRows } from "../../connectors/judging.ts";
import { connectorOf } from "../../connectors/source.ts";
import type { SyncConfig } from "../../src/config/config.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { Dependencies } from "../dependencies.ts";

/**
 * Forgets what is known of a sync with `send: all` when a run opens: nothing holds any more once rows are
 * sent that nobody follows, or everything is sent again. To be called once the run has its place.
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

/**
 * Forgets the rows that no later run goes back over: those that this one did not go back over, now that it
 * has come to its end.
 */
export async function forgetPassed(
  { config, sources, state }: Pick<Dependencies, "config" | "sources" | "state">,
  run: Run,
): Promise<void> {
  const { runId, target, sync: name, request, configHash } = run;
  const sync = config.syncs.get(name);
  const isWhole = request.limit === undefined;
  // Closed by a worker that is configured otherwise.
  if (sync?.configHash !== configHash || sync.send !== "all" || !isWhole) return;
  if (!followsRows(connectorOf({ sources }, sync.connector), sync, run)) return;
  await state.forgetSeenBefore({ target, sync: name, runId });
}

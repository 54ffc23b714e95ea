import { mappingHash } from "../../src/mapping/load.ts";
import { lookForOlderMapping } from "../../src/report/older-mapping.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import type { Dependencies } from "../dependencies.ts";

/** Whether a run that is done has mapped everything in its source. */
async function hasReadAll(
  { state }: Pick<Dependencies, "state">,
  { runId, kind, request, fromPosition }: Run,
): Promise<boolean> {
  if (request.limit !== undefined) return false;
  if (kind === "sync") return fromPosition === null;
  const plan = kind === "backfill" ? (await state.plan(runId))?.plan : undefined;
  return plan !== undefined && plan.from === null && plan.to === null && plan.keys === null;
}

/**
 * Warns of records that an older mapping made, once a run that continued from its checkpoint has ended: it did not map
 * unchanged rows again.
 */
export async function settleMapping(
  { config, sources, state }: Pick<Dependencies, "config" | "sources" | "state">,
  run: Run,
  isDone: boolean,
): Promise<void> {
  const { runId, target, sync: name, kind, configHash } = run;
  const sync = config.syncs.get(name);
  const source = sync === undefined ? undefined : sources.get(sync.connector);
  // Closed by a worker with another configuration.
  if (sync?.configHash !== configHash || source === undefined) return;
  const of = { target, sync: name, mapping: mappingHash(sync) };
  if (isDone && (await hasReadAll({ state }, run))) return await state.forgetOlderMappings(of);
  if (kind !== "sync") return;
  const { isAny, text } = await lookForOlderMapping(state, { sync, source, target });
  if (text !== undefined) await state.addWarnings({ runId, warnings: [text] });
  else if (isAny) await state.forgetOlderMappings(of);
}

import type { Dependencies } from "../dependencies.ts";
import type { PartRef } from "../inputs.ts";

/**
 * Has the store prepare the commit of a chunk while the request of its first part is on its way: the request waits for
 * the network meanwhile, and the commit later waits for nothing. Call it once the part is noted as leaving. Anything
 * that cannot be prepared is done with the commit, which reports what is wrong: nothing is sent again for it.
 */
export async function prepareCommit(
  { state }: Pick<Dependencies, "state">,
  { runId, chunk, stage, part }: PartRef,
): Promise<void> {
  // Prepared for the whole chunk: later parts have nothing to do.
  if (part > 0) return;
  await state.prepareCommit({ runId, chunk, stage }).catch(() => undefined);
}

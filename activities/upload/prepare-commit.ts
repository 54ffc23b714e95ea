import type { Dependencies } from "../dependencies.ts";
import type { PartRef } from "../inputs.ts";

/**
 * Has the store prepare the commit of a chunk while the request of its first part is on its way: the request waits for
 * the network, and the commit then for nobody. To be called once the part is noted as leaving. What cannot be prepared
 * is done with the commit, which says what is wrong: nothing that was sent is sent again for it.
 */
export async function prepareCommit(
  { state }: Pick<Dependencies, "state">,
  { runId, chunk, stage, part }: PartRef,
): Promise<void> {
  // Done for the whole chunk: later parts find nothing to do.
  if (part > 0) return;
  await state.prepareCommit({ runId, chunk, stage }).catch(() => undefined);
}

import { ConfigError } from "../../../errors.ts";
import type { SyncName } from "../../contract/runs/checkpoints.ts";

/** The most keys of a sync: an id has 32 bits, one of them for its sign. */
const idsMax = 2 ** 31 - 1;

/**
 * Ensures that a sync has an id for each of `added` new keys, of which the first gets `nextId`.
 * @throws {ConfigError} it has not. An id beyond would be another key's.
 */
export function assertIdsLeft(
  { sync }: SyncName,
  { nextId, added }: { readonly nextId: number; readonly added: number },
): void {
  if (nextId + added - 1 <= idsMax) return;
  throw new ConfigError(`sync ${sync} has met ${idsMax} keys, the most that a store can number`, {
    field: `syncs.${sync}`,
    hint:
      "give the sync another name in sluice.yaml, and it begins anew: it reads its source from the start, and sends " +
      "everything again; `sluice state reset` gives no numbers back",
  });
}

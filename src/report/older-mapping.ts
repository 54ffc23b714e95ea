import { isLog, type SourceToPlan } from "../backfill/source.ts";
import type { SyncConfig } from "../config/config.ts";
import { mappingHash } from "../mapping/load.ts";
import type { OlderMapping } from "../state/contract/keys/mappings.ts";
import type { StateClient } from "../state/state-store.ts";

/**
 * The facts about records that older mappings of a sync made, and a text about them for a person; without a text if
 * there is nothing to say.
 */
export type OlderMade = OlderMapping & { readonly text: string | undefined };

/**
 * Looks for records in the service that older mappings of a sync made. There are none for a source that every run
 * reads anew, nor for one that is pushed to: an event is mapped once, as it came.
 */
export async function lookForOlderMapping(
  state: Pick<StateClient, "olderMapping">,
  at: { readonly sync: SyncConfig; readonly source: SourceToPlan; readonly target: string },
): Promise<OlderMade> {
  const { sync, source, target } = at;
  const { name, connectorConfig, send } = sync;
  const isReadAnew = source.restart?.(connectorConfig) === "each-run";
  if (isReadAnew || source.push !== undefined) return { isAny: false, records: 0, text: undefined };
  const made = await state.olderMapping({ target, sync: name, mapping: mappingHash(sync) });
  const { isAny, records } = made;
  if (!isAny || (records === 0 && send !== "all")) return { ...made, text: undefined };
  const many = records === 1 ? "1 record was" : `${records} records were`;
  // Without fingerprints nobody knows how many.
  const what = send === "all" ? "rows that did not change since were" : many;
  const way = isLog(source, connectorConfig)
    ? `\`sluice state reset ${name}\` sends everything by the new one`
    : `\`sluice backfill ${name}\` sends them by the new one`;
  return { ...made, text: `the mapping changed since; ${what} sent by the old one: ${way}` };
}

import type { Source } from "../../../connectors/contract/connector.ts";
import type { SyncConfig } from "../../config/config.ts";
import { rowAt, rowCount } from "../../pipeline/page.ts";
import { mentions, textMentions } from "../../state/rules/keys/mentions.ts";
import { mappedRows } from "../run/mapped-rows.ts";

/**
 * The numbers of the events in the inbox that become records of a key; of those of which no record is made, the ones
 * that have the key as a value.
 */
export async function eventsOfKey(
  source: Source,
  sync: SyncConfig,
  key: string,
): Promise<readonly number[]> {
  const places = new Set<string>();
  for await (const page of await mappedRows(source, sync, { limit: Number.MAX_SAFE_INTEGER })) {
    const others = new Set<number>();
    for (const candidate of page.candidates) {
      if (candidate.key === key) places.add(page.source.where(candidate.index));
      else others.add(candidate.index);
    }
    for (let index = 0; index < rowCount(page.source); index++) {
      if (!others.has(index) && mentions(rowAt(page.source, index), key)) {
        places.add(page.source.where(index));
      }
    }
    for (const reject of page.source.rejects ?? []) {
      if (textMentions(reject.row ?? "", key)) places.add(reject.where);
    }
    page.release?.();
  }
  return [...places].map((place) => Number(place.slice(place.lastIndexOf("#") + 1)));
}

import { existsSync } from "node:fs";

import type { Source } from "../../../connectors/contract/connector.ts";
import type { Config, SyncConfig } from "../../config/config.ts";
import { inboxFileIn } from "../../inbox/file.ts";
import { openInbox } from "../../inbox/open.ts";
import { rowAt, rowCount } from "../../pipeline/page.ts";
import { mentions, textMentions } from "../../state/rules/keys/mentions.ts";
import { mappedRows } from "../run/mapped-rows.ts";

/**
 * The numbers of the events in the inbox that become records of a key, and of those that become no record but have the
 * key as a value.
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
      if (others.has(index)) continue;
      // A member that no mapping can read, for example one that is repeated, is in the text alone.
      const text = page.source.text?.(index) ?? "";
      if (mentions(rowAt(page.source, index), key) || textMentions(text, key)) {
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

/** The connections that have events in the inbox but are read by no sync, for example after they were renamed. */
export async function unreadConnections(config: Config): Promise<readonly string[]> {
  const { stateFolder, store, syncs } = config;
  if (store === undefined && !existsSync(inboxFileIn(stateFolder))) return [];
  const read = new Set([...syncs.values()].map(({ connection }) => connection));
  const inbox = await openInbox(config);
  try {
    const found: string[] = [];
    for (const { connection } of await inbox.backlogs()) {
      if (read.has(connection)) continue;
      const [first] = await inbox.read({ connection, after: 0, limit: 1 });
      if (first !== undefined) found.push(connection);
    }
    return found;
  } finally {
    await inbox.close();
  }
}

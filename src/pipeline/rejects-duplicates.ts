import { z } from "zod";

import type { SyncConfig } from "../config/config.ts";
import { placeFile, type MakeReject, type RecordPage } from "./page.ts";

type ReadBy = Pick<SyncConfig, "connectorConfig" | "duplicateKeys">;

/** Whether a run that reads the source rejects a row whose key an earlier one had. */
export function rejectsDuplicates(
  source: { restart?(config: unknown): string | undefined },
  { connectorConfig, duplicateKeys }: ReadBy,
): boolean {
  return source.restart?.(connectorConfig) === "each-run" && duplicateKeys === "reject";
}

const firstWins = z.looseObject({ first_wins: z.literal(true) });

/** Whether such a run also reads the newest of several files first: where the schema of the source has `first_wins`. */
export function readsNewestFirst(
  source: Parameters<typeof rejectsDuplicates>[0],
  sync: ReadBy,
): boolean {
  return rejectsDuplicates(source, sync) && firstWins.safeParse(sync.connectorConfig).success;
}

/** The file in which each key was rejected first: about 100 bytes for each key, as many as `reject_limit` allows. */
export type RejectedKeys = Map<string, string>;

/** Notes rejects, in their order. A second row of a key says nothing that the first does not. */
export function noteRejects(
  rejected: RejectedKeys,
  rejects: readonly { readonly key?: string | undefined; place: string; step?: string }[],
): void {
  for (const { key, place, step } of rejects) {
    if (key === undefined || step === "duplicate" || rejected.has(key)) continue;
    rejected.set(key, placeFile(place));
  }
}

/**
 * Rejects the rows of older files whose key was rejected in a newer one, where those are read first: sent in its place,
 * an older row would end over what the service has of the key. Within a file, the first sound row of a key is sent.
 */
export async function* rejectOlder(
  pages: AsyncIterable<RecordPage>,
  makeReject: MakeReject,
  rejected: RejectedKeys = new Map(),
): AsyncGenerator<RecordPage> {
  for await (const page of pages) {
    const { candidates, rejects, source } = page;
    if (rejected.size > 0 && candidates.length > 0) {
      const file = placeFile(source.where(candidates.rowOf(0)));
      candidates.keep((position) => {
        const key = candidates.keyAt(position);
        const newer = rejected.get(key);
        if (newer === undefined || newer === file) return true;
        const reason = "same key as an earlier row of this run, which was rejected";
        const fault = { step: "duplicate", code: "duplicate_key", reason, key } as const;
        rejects.push(makeReject(source, candidates.rowOf(position), fault));
        return false;
      });
    }
    noteRejects(rejected, rejects);
    yield page;
  }
}

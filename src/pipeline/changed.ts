import { hash } from "node:crypto";

import type { KeysToStage } from "../state/fingerprints.ts";
import { hashBytes, verdict } from "../state/fingerprints.ts";
import type { StateClient } from "../state/state-store.ts";
import type { ChunkRoom } from "./chunk-limits.ts";
import type { MakeReject, Page } from "./page.ts";

/** Pages whose keys the store judges while later ones are mapped. */
const pagesAheadMax = 4;

/** How a sync decides what has changed; without the keys and hashes, which come with each page. */
export type ChangedSettings = Omit<KeysToStage, "keys" | "hashes">;

function hashesOf(page: Page): Uint8Array {
  const hashes = Buffer.allocUnsafeSlow(page.candidates.length * hashBytes);
  for (const [index, { line }] of page.candidates.entries()) {
    hashes.set(hash("md5", line, "buffer"), index * hashBytes);
  }
  return hashes;
}

function apply(page: Page, verdicts: Uint8Array, makeReject: MakeReject): void {
  page.candidates = page.candidates.filter(({ key, index }, position) => {
    if (verdicts[position] === verdict.unchanged) {
      page.unchanged += 1;
      return false;
    }
    if (verdicts[position] === verdict.duplicate) {
      const reason = "same key as an earlier row of this run";
      const fault = { step: "duplicate", code: "duplicate_key", reason, key } as const;
      page.rejects.push(makeReject(page.source, index, fault));
      return false;
    }
    return true;
  });
}

/**
 * Leaves out what the service is known to hold, and writes what this send will make known before it can leave. Pages
 * keep their order; a few are judged ahead, so that the store's thread works beside this one.
 */
export async function* dropUnchanged(
  pages: AsyncIterable<Page>,
  state: Pick<StateClient, "stageKeys">,
  how: {
    readonly settings: ChangedSettings;
    readonly makeReject: MakeReject;
    /** No page is judged that might belong to the next chunk: its keys would be marked as seen. */
    readonly room: ChunkRoom;
  },
): AsyncGenerator<Page> {
  const ahead: { readonly page: Page; readonly verdicts: Promise<Uint8Array> }[] = [];
  async function* judged(leave: () => number): AsyncGenerator<Page> {
    while (ahead.length > leave()) {
      const [next] = ahead.splice(0, 1);
      if (next === undefined) return;
      apply(next.page, await next.verdicts, how.makeReject);
      yield next.page;
    }
  }
  for await (const page of pages) {
    const keys = page.candidates.map(({ key }) => key);
    const verdicts = state.stageKeys({ ...how.settings, keys, hashes: hashesOf(page) });
    // A page that fails while a later one is mapped must not end the process: its turn comes below.
    verdicts.catch(() => undefined);
    how.room.enter(page);
    ahead.push({ page, verdicts });
    yield* judged(() => (how.room.mayRunAhead() ? pagesAheadMax : 0));
  }
  yield* judged(() => 0);
}

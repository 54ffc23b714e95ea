import type { Body, StageCounts } from "../state/sends.ts";
import { createBodyCutter } from "./bodies.ts";
import { createChunkRoom, type ChunkLimits, type ChunkRoom } from "./chunk-limits.ts";
import { createGzipWriter, type GzipFacts } from "./gzip.ts";
import { createJsonlEncoder } from "./jsonl.ts";
import type { Page } from "./page.ts";

/** Where a page of a chunk begins: for finding the row after a record that the service refuses. */
export type PageStart = {
  readonly record: number;
  readonly from: unknown;
  /** As of the page (`RowPage`). */
  readonly first: number | undefined;
  /** As of the page (`RowPage`). */
  readonly isAgain?: boolean | undefined;
};

/** A written chunk. */
export type WrittenChunk = GzipFacts & {
  readonly counts: StageCounts;
  /** Where the next chunk begins. */
  readonly to: unknown;
  /** Whether the pages ended before the chunk was full. */
  readonly done: boolean;
  /** Undefined when a record alone exceeds a lightweight body. */
  readonly bodies: readonly Body[] | undefined;
  readonly pageStarts: readonly PageStart[];
  /** Of its records, in order. */
  readonly keys: readonly string[];
};

/** How a chunk is written. */
export type ChunkSettings = {
  readonly limits: ChunkLimits;
  readonly stream: string;
  readonly bodyBytesMax: number;
  /** gzip level. */
  readonly level: number;
  /** Where the chunk begins. */
  readonly from: unknown;
};

function addCounts(counts: StageCounts, page: Page): StageCounts {
  return {
    read: counts.read + page.read,
    records: counts.records + page.candidates.length,
    unchanged: counts.unchanged + page.unchanged,
    filtered: counts.filtered + page.filtered,
    rejected: counts.rejected + page.rejects.length,
  };
}

/**
 * Writes pages into one gzip file until the chunk is full or the pages end. `pages` is made with the chunk's room and
 * stopped at its end; `eachPage` runs after every page, and what it throws stops the chunk.
 */
export async function writeChunk(
  pages: (room: ChunkRoom) => AsyncIterable<Page>,
  settings: ChunkSettings,
  io: {
    readonly write: (bytes: Buffer) => Promise<void>;
    readonly eachPage: (page: Page, counts: StageCounts) => Promise<void>;
  },
): Promise<WrittenChunk> {
  const gzip = createGzipWriter(io.write, settings.level);
  const encode = createJsonlEncoder();
  const cutter = createBodyCutter(settings.stream, settings.bodyBytesMax);
  const room = createChunkRoom(settings.limits, Date.now);
  const pageStarts: PageStart[] = [];
  const keys: string[] = [];
  let counts: StageCounts = { read: 0, records: 0, unchanged: 0, filtered: 0, rejected: 0 };
  let [to, done] = [settings.from, true];

  for await (const page of pages(room)) {
    const lines = page.candidates.map(({ line }) => line);
    const { first, isAgain } = page.source;
    pageStarts.push({ record: counts.records, from: to, first, isAgain });
    if (lines.length > 0) {
      for (const { key } of page.candidates) keys.push(key);
      const jsonl = encode(lines);
      cutter.add(lines, jsonl.length);
      await gzip.add(jsonl);
      // What is not deflated yet counts in full: near the limit the true size is worth waiting for.
      if (gzip.bytesAtMost() >= settings.limits.bytes) await gzip.flush();
    }
    counts = addCounts(counts, page);
    to = page.source.position;
    room.leave(page, gzip.bytesAtMost());
    await io.eachPage(page, counts);
    if (room.isFull()) {
      done = false;
      break;
    }
  }
  return { ...(await gzip.finish()), counts, to, done, bodies: cutter.bodies(), pageStarts, keys };
}

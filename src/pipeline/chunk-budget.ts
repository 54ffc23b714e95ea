import type { RecordPage } from "./page.ts";

/** Where a chunk ends: at the first page boundary at or after any of these. */
export type ChunkLimits = {
  readonly records: number;
  /** Compressed bytes. */
  readonly bytes: number;
  readonly rowsRead: number;
  readonly ms: number;
  /** The same for a chunk of which nothing leaves. @default as for any other */
  readonly unsentMs?: number | undefined;
};

/**
 * A chunk may last at least this many times as long as its source took to begin, because beginning anew may mean
 * reading a lot again.
 */
const timesItsBeginning = 10;

/** Tracks what a chunk holds, and whether more may be read for it; one object serves both ends of the data line. */
export interface ChunkBudget {
  /** A page goes to be judged: it will be in this chunk. */
  enter(page: RecordPage): void;
  /** A page was written: `gzipBytes` is the most that the file would have now. */
  leave(page: RecordPage, gzipBytes: number): void;
  /** Whether a page may be read while others are still judged: they cannot fill the chunk. */
  canReadAhead(): boolean;
  /** Whether the chunk ends here. Never while a page that belongs to it is still judged. */
  isFull(): boolean;
}

/** Most bytes that a page adds to the file: its lines with their ends, if none of them can be compressed. */
function bytesAtMost({ candidates }: RecordPage): number {
  let sum = 0;
  for (let position = 0; position < candidates.length; position += 1) {
    sum += candidates.endOf(position) - candidates.startOf(position) + 1;
  }
  return sum;
}

/** Tracks one chunk; `now` is in milliseconds. */
export function createChunkBudget(limits: ChunkLimits, now: () => number): ChunkBudget {
  const startedAt = now();
  const { unsentMs = limits.ms } = limits;
  let beganMs: number | undefined;
  const sum = { records: 0, rowsRead: 0, bytes: 0 };
  const ahead: { readonly records: number; readonly read: number; readonly bytes: number }[] = [];
  const isReached = (records: number, rowsRead: number, bytes: number): boolean =>
    records >= limits.records ||
    rowsRead >= limits.rowsRead ||
    bytes >= limits.bytes ||
    now() - startedAt >= limits.ms ||
    // Nothing leaves, so there is nothing to wait for: the rows read so far are worth an earlier checkpoint.
    (sum.records === 0 &&
      now() - startedAt >= Math.max(unsentMs, timesItsBeginning * (beganMs ?? 0)));
  return {
    enter: (page) => {
      beganMs ??= now() - startedAt;
      ahead.push({ records: page.candidates.length, read: page.read, bytes: bytesAtMost(page) });
    },
    leave: (page, gzipBytes) => {
      // Where no line is judged, no page enters before it leaves.
      beganMs ??= now() - startedAt;
      ahead.shift();
      sum.records += page.candidates.length;
      sum.rowsRead += page.read;
      sum.bytes = gzipBytes;
    },
    canReadAhead: () => {
      const total = ahead.reduce(
        ({ records, read, bytes }, page) => ({
          records: records + page.records,
          read: read + page.read,
          bytes: bytes + page.bytes,
        }),
        { records: sum.records, read: sum.rowsRead, bytes: sum.bytes },
      );
      return !isReached(total.records, total.read, total.bytes);
    },
    isFull: () => ahead.length === 0 && isReached(sum.records, sum.rowsRead, sum.bytes),
  };
}

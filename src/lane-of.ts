/** Most chunks of one lane: each lane numbers its chunks from a multiple of it on. A chunk holds at least one row. */
const laneChunksMax = 1_000_000;

/**
 * The lane that a chunk belongs to, by its number: lane 1 numbers its chunks from 1, each next lane `laneChunksMax`
 * further on.
 */
export type Lane = {
  /** From 1. */
  readonly lane: number;
  /** The chunk's number within its lane, from 1. */
  readonly ordinal: number;
  readonly isFirst: boolean;
  /** The highest number that a chunk of this lane may have. */
  readonly last: number;
};

/** The lane of a chunk. A run that is not a backfill has one lane. */
export function laneOf(chunk: number): Lane {
  const lane = Math.ceil(chunk / laneChunksMax);
  const ordinal = chunk - (lane - 1) * laneChunksMax;
  return { lane, ordinal, isFirst: ordinal === 1, last: lane * laneChunksMax };
}

/** The number of a lane's first chunk. */
export function firstChunkOf(lane: number): number {
  return (lane - 1) * laneChunksMax + 1;
}

/**
 * A chunk as a person reads it: "chunk 12", or "lane 2 chunk 12" in a run with several lanes. A caller that does not
 * know how many there are leaves them out: then the first lane is not named.
 */
export function chunkName(chunk: number, lanes = laneOf(chunk).lane): string {
  const { lane, ordinal } = laneOf(chunk);
  return lanes > 1 ? `lane ${lane} chunk ${ordinal}` : `chunk ${ordinal}`;
}

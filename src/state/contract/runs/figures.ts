import { z } from "zod";

import type { SyncName } from "./checkpoints.ts";
import { runRow } from "./runs.ts";

/** What a chart shows of a run itself. */
export const chartedRun = runRow.pick({
  runId: true,
  kind: true,
  startedAt: true,
  endedAt: true,
  outcome: true,
});

/** What became of its rows, from stored sums: unlike in a `Tally`, the facts behind them are not counted. */
export const rowFigures = z.object({
  read: z.int(),
  /** For a pull, those that were written. */
  sent: z.int(),
  unchanged: z.int(),
  /** For a pull, those without a row. */
  filtered: z.int(),
  rejected: z.int(),
});

/** One bar of the chart of a sync or pull. */
export type RunFigures = Readonly<z.output<typeof chartedRun> & z.output<typeof rowFigures>>;

/** When a chunk reached each step; times are Unix ms, null if it did not. */
export const chunkTimes = z
  .object({
    chunk: z.int(),
    state: z.enum(["staging", "staged", "committed", "cut", "dropped"]),
    /** How often it was staged. */
    stages: z.int(),
    begunAt: z.int(),
    /** When its first part left: until then it was staged, and waited. */
    leftAt: z.int().nullable(),
    /** When its last part had been uploaded; null where none travels as a file. */
    uploadedAt: z.int().nullable(),
    /** When its last part was accepted. */
    acceptedAt: z.int().nullable(),
    committedAt: z.int().nullable(),
    read: z.int(),
    records: z.int(),
    rejected: z.int(),
    parts: z.int(),
    /** Attempts of its parts that were not their first. */
    retries: z.int(),
  })
  .readonly();

/** A chunk on the timeline of its run. */
export type ChunkTimes = z.output<typeof chunkTimes>;

/** Figures that pages show, each found by an index, however much a store holds. */
export interface FigureStore {
  /** The newest runs of a sync or pull, newest first. */
  runFigures(input: SyncName & { readonly limit: number }): RunFigures[];
  /** The newest staging of each of the last chunks of a run, in the order of the chunks. */
  chunkTimes(input: { readonly runId: string; readonly limit: number }): ChunkTimes[];
}

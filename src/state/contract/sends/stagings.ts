import { z } from "zod";

import { jsonColumn } from "../json-column.ts";
import type { Changes } from "./changes.ts";

/** One staging of one chunk, named by its run, the chunk (from 1) and the stage (from 1; the highest is the newest). */
export type StageName = {
  readonly runId: string;
  readonly chunk: number;
  readonly stage: number;
};

/** The records of one body, `from` up to before `to`, and its size in bytes. */
export const body = z.object({ from: z.int(), to: z.int(), bytes: z.int() });

/** A lightweight body: records `from` to `to` (excluded) of the staged file, and its bytes as sent. */
export type Body = Readonly<z.output<typeof body>>;

/**
 * Which attempt asks for a staging. An attempt is later than another if it was scheduled later or, at the same time,
 * has the higher number.
 */
export type StageAttempt = {
  /** When Temporal was first asked for it, in Unix ms by the server's clock. */
  readonly scheduledMs: number;
  /** From 1. */
  readonly number: number;
};

/** What a staging counted: read = records + unchanged + filtered + rejected. */
export const stageCounts = z
  .object({
    /** Rows and rejects the connector yielded. */
    read: z.int(),
    /** Records that are in the staged file. */
    records: z.int(),
    unchanged: z.int(),
    filtered: z.int(),
    rejected: z.int(),
  })
  .readonly();

/** What a staging counted. */
export type StageCounts = z.output<typeof stageCounts>;

/** A finished staging. */
export type StagedChunk = {
  /** Where the next chunk begins. */
  readonly to: unknown;
  /** Whether the source has nothing after it. */
  readonly done: boolean;
  readonly counts: StageCounts;
  readonly jsonBytes: number;
  readonly gzipBytes: number;
  readonly jsonlSha256: string;
  readonly gzipSha256: string;
  /** Its lightweight bodies, in order; empty when a record alone exceeds a body. */
  readonly bodies: readonly Body[];
  /** Hash of the mapping that made its records. @default none is kept */
  readonly mapping?: string | undefined;
  /** Why its records are sent. @default nobody asked whether they changed */
  readonly changes?: Changes | undefined;
  /** The keys of its records, in their order, as a JSON array: they identify records that may still be applied. */
  readonly keys: string;
};

/** A staging that has begun. */
export type BegunStaging = {
  readonly stage: number;
  readonly send: number;
  /** Where the chunk begins, and where its span ends; null is the source's beginning or end. */
  readonly from: unknown;
  readonly to: unknown;
};

/** A row of `stagings`. */
export const stagingRow = z
  .object({
    send: z.int(),
    runId: z.string(),
    chunk: z.int(),
    stage: z.int(),
    /** `cut`: abandoned on its way; its accepted records count, and the rest comes again. */
    state: z.enum(["staging", "staged", "committed", "cut", "dropped"]),
    from: jsonColumn,
    to: jsonColumn,
    done: z.int().transform(Boolean),
    read: z.int(),
    records: z.int(),
    unchanged: z.int(),
    filtered: z.int(),
    rejected: z.int(),
    /** Records that splits took out again. */
    splitRejected: z.int(),
    jsonBytes: z.int(),
    gzipBytes: z.int(),
    jsonlSha256: z.string().nullable(),
    gzipSha256: z.string().nullable(),
    bodies: jsonColumn.pipe(z.array(body).nullable()),
  })
  .readonly();

/** A staging as it is in the store; its files' hashes are null until it is staged. */
export type Staging = z.output<typeof stagingRow>;

/** Stagings: every staging of every chunk, and whether the service has accepted it. */
export interface StagingStore {
  /**
   * Begins a new staging of a chunk. Drops older uncommitted stagings of it and of later chunks, removes their rejects,
   * and counts their records under way as possibly repeated.
   * @throws {SupersededError} the chunk is committed, the one before it is not staged, the run does not hold
   * its send lock, or a later attempt has drawn one: a worker that was stopped for a while must not take the
   * chunk from its successor.
   */
  beginStaging(input: {
    readonly runId: string;
    readonly chunk: number;
    readonly host: string;
    readonly by?: StageAttempt;
  }): BegunStaging;
  /** @throws {SupersededError} a newer staging was drawn meanwhile. */
  finishStage(input: StageName & StagedChunk): void;
  /** Undefined when there is no such staging. */
  staging(input: StageName): Staging | undefined;
  /** The staging with a number; undefined when it is not kept any more. */
  stagingNumbered(input: { readonly send: number }): Staging | undefined;
  /** The staging of a chunk that was committed; undefined when none was. */
  committedStaging(input: Pick<StageName, "chunk" | "runId">): Staging | undefined;
  /** The newest staging of a chunk, whatever became of it. */
  newestStaging(input: Pick<StageName, "chunk" | "runId">): Staging | undefined;
  /** The number of a run's first staging, whatever became of it; undefined when it has none. */
  firstSend(input: { readonly runId: string }): number | undefined;
  /** Digest of what a run has staged, committed or not; it differs for other records, or for other chunks of them. */
  stagedDigest(input: { readonly runId: string }): string;
  /**
   * Rows read and rejected by the chunks before `chunk`, and by those of other lanes, as their newest
   * stagings counted.
   */
  totalsBefore(input: { readonly runId: string; readonly chunk: number }): {
    readonly read: number;
    readonly rejected: number;
    /** Compressed bytes of those that wait to be sent. */
    readonly stagedBytes: number;
  };
  /** Gives up every uncommitted staging of a run, and counts its records under way as possibly repeated. */
  dropStagings(input: { readonly runId: string }): void;
}

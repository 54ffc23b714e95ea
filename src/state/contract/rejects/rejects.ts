import { z } from "zod";

import type { SyncName } from "../runs/checkpoints.ts";
import type { StageName } from "../sends/stagings.ts";

/** A row or record that was refused. */
export type RejectEntry = {
  readonly stream: string;
  /** Where a person finds it: `accounts.csv:48211`. */
  readonly place: string;
  /** Number of its row in the chunk, in the order of the source; undefined if that is not known. */
  readonly rowNumber?: number | undefined;
  readonly key?: string | undefined;
  /** Which step refused it. */
  readonly step: "read" | "map" | "validate" | "duplicate" | "send" | "pull" | "write";
  readonly code: string;
  readonly field?: string | undefined;
  readonly reason: string;
  /** The source row as JSON or text, unless the `pii` settings drop it. */
  readonly row?: string | undefined;
  /** For a record that was sent: the hash of its line, by which a later staging recognizes it. */
  readonly hash?: Uint8Array | undefined;
};

/** As the store reads it: `rejectColumns`. */
export const rejectRow = z
  .object({
    runId: z.string(),
    chunk: z.int(),
    /** Its number in the chunk, from 1. */
    ordinal: z.int(),
    stream: z.string(),
    place: z.string(),
    key: z.string().nullable(),
    step: z.string(),
    code: z.string(),
    field: z.string().nullable(),
    reason: z.string(),
    row: z.string().nullable(),
    createdAt: z.string(),
    /** The run that read its row again; null while none did. */
    replayedBy: z.string().nullable(),
    /** Whether that run found that newer rows of its key had been staged since, and did not send it. */
    superseded: z.int().transform(Boolean),
    /**
     * Whether it still needs attention; false in a chunk that was given up, whose rows the next run reads, and in a
     * pull, whose next round brings the result again.
     */
    isOpen: z.int().transform(Boolean),
  })
  .readonly();

/** A reject as it is in the store. */
export type StoredReject = z.output<typeof rejectRow>;

/** The place of a reject in its run, for paging. */
export type RejectNumber = { readonly chunk: number; readonly ordinal: number };

/** As the store reads it. */
export const rejectedKeyRow = z
  .object({ chunk: z.int(), ordinal: z.int(), key: z.string(), place: z.string() })
  .readonly();

/** A key that a run rejected, with the place of its row. */
export type RejectedKey = z.output<typeof rejectedKeyRow>;

/** As the store reads it. */
export const reasonRow = z
  .object({
    code: z.string(),
    count: z.int(),
    chunk: z.int(),
    ordinal: z.int(),
    place: z.string(),
    field: z.string().nullable(),
  })
  .readonly();

/** How often a code occurred in a run, and where it occurred first: in which row, and in which field of it. */
export type RejectReason = z.output<typeof reasonRow>;

/** Which rejects are looked for; times are ISO 8601, `until` is excluded. */
export type RejectsWhere = {
  readonly target: string;
  readonly sync?: string | undefined;
  readonly run?: string | undefined;
  readonly code?: string | undefined;
  readonly key?: string | undefined;
  /** Only open ones, as `runsWithOpenRejects` counts them. */
  readonly isOpen?: true | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Only those after this one, in their order. */
  readonly after?: (RejectNumber & { readonly run: string }) | undefined;
  readonly limit: number;
};

/** Rejects: every row and record refused, with its place and the reason. */
export interface RejectStore {
  /** @throws {SupersededError} the staging is not the newest. */
  addRejects(
    input: StageName & { readonly rejects: readonly RejectEntry[]; readonly at: string },
  ): void;
  /** In order of chunk and ordinal, after `after`. */
  rejects(input: {
    readonly runId: string;
    readonly after?: RejectNumber | undefined;
    readonly limit: number;
  }): StoredReject[];
  /** The rejects of one key of a sync, in the runs that are kept; newest first. */
  rejectsOfKey(input: SyncName & { readonly key: string; readonly limit: number }): StoredReject[];
  /** Newest run first, and in each in the order of chunk and ordinal; whatever became of them, unless `isOpen`. */
  rejectsWhere(input: RejectsWhere): StoredReject[];
  /**
   * The keys that a run rejected in its chunks before `chunk`, other than second rows of a key, in order of chunk and
   * ordinal, after `after`.
   */
  rejectedKeys(input: {
    readonly runId: string;
    readonly chunk: number;
    readonly after?: RejectNumber | undefined;
    readonly limit: number;
  }): RejectedKey[];
  /** Most frequent first. */
  rejectReasons(input: { readonly runId: string; readonly limit: number }): RejectReason[];
}

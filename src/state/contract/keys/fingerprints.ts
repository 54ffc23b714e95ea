import type { TextBlock } from "../../text-block.ts";
import type { SyncName } from "../runs/checkpoints.ts";
import type { StageName } from "../sends/stagings.ts";

/** What is to be done with a record; those up to `again` are sent, and each says why. */
export const verdict = {
  /** No record of its key was ever accepted, as far as is known. */
  new: 0,
  /** The service holds another record of its key. */
  changed: 1,
  /** The same, and a mapping made it that is not the sync's any more. */
  remapped: 2,
  /** Nothing says whether the service holds it. */
  unknown: 3,
  /** The service holds it, but all was asked for or an older request is in doubt; or its run sent its key before. */
  again: 4,
  unchanged: 5,
  duplicate: 6,
  superseded: 7,
} as const;

/** Whether a record of this verdict is sent. */
export function isSent(judged: number | undefined): boolean {
  return judged !== undefined && judged <= verdict.again;
}

/** Bytes of one record's hash. */
export const hashBytes = 16;

/** Room for the rows of a chunk in an age: more than a staging reads. */
export const rowNumbersMax = 2 ** 24;

/** The hashes of the fields of several records, `fieldBytes` for each. */
export type FieldHashes = { readonly fieldBytes: number; readonly hashes: Uint8Array };

/** A field that differs from what was known of some keys. */
export type FieldChange = {
  /** See `fieldSlots`. */
  readonly slot: number;
  /** How many records of those that are sent as changed differ in it: came or went counts, too. */
  readonly changed: number;
  /** How many keys had it when they were sent before, as whatever, and have it no more. */
  readonly lost: number;
  /** Index of the first of these among those whose fields are kept. */
  readonly firstLost: number;
};

/** Keys to judge, with the hashes of their records: memory that is handed over to the store's thread. */
export type KeysToStage = SyncName &
  StageName & {
    readonly send: number;
    readonly keys: TextBlock;
    /** `hashBytes` for each key. */
    readonly hashes: Uint8Array;
    /** Numbers of the rows in their chunk, in the order of the source, from 1. */
    readonly rowNumbers: Uint32Array;
    /**
     * Of a replay: the age of each row (`ageOf`). A key of which a younger row was committed has a newer one,
     * which supersedes it, whether that was sent or unchanged. What a staging saw that was given up, and what
     * a cut one left, counts for nothing.
     */
    readonly ages?: readonly number[] | undefined;
    /** Of which keys this staging has sent an older record once more, in front; undefined is of none. */
    readonly again?: readonly boolean[] | undefined;
    /**
     * Of a backfill: the number of its first staging. A key that another run sent since is left out, because
     * that was this row or a later one.
     */
    readonly begunAt?: number | undefined;
    /** Send whatever the fingerprint says. */
    readonly full: boolean;
    /** Judge a key that this run has seen before as a duplicate. */
    readonly rejectDuplicates: boolean;
    /** Fingerprints committed before this time (Unix ms) are too old to count. */
    readonly committedAfter?: number | undefined;
    /** Hash of the mapping that made the records. @default none is said to be an older one */
    readonly mapping?: string | undefined;
  };

/** What became of keys. */
export type JudgedKeys = {
  /** One `verdict` for each key, in order. */
  readonly verdicts: Uint8Array;
  /**
   * For `keepFields`, of the records that are to be sent, in order. It names a fingerprint,
   * by a number below zero where that does not say what the service held before.
   */
  readonly leaving: Int32Array;
};

/** Fields of records that are to be sent. */
export type FieldsToKeep = SyncName &
  StageName &
  FieldHashes & {
    /** As `JudgedKeys.leaving` has them. */
    readonly ids: Int32Array;
    /** The verdicts of the same records. */
    readonly verdicts: Uint8Array;
  };

/** Fingerprints: what the service is known to hold. Unknown is always sent. */
export interface FingerprintStore {
  /**
   * Judges records and writes what a send of them would make of their fingerprints, before they can leave, and apart
   * from these. It counts only once its send is committed; a key sent twice in one run stays unknown. Where the
   * staging is given up before anything of it left, the fingerprints are as they were; else its keys are unknown.
   * @throws {SupersededError} the staging is not the newest.
   */
  stageKeys(input: KeysToStage): JudgedKeys;
  /**
   * The verdicts that `stageKeys` would give a run that has staged nothing yet, each key by itself: the run's names are
   * not looked at. Only reads.
   */
  judgeKeys(input: KeysToStage): Uint8Array;
  /**
   * Keeps the hashes of the fields of records that are to be sent, as `stageKeys` named them. To be called
   * before they can leave, for one `stageKeys` after the other; answers which fields differ from what keys had before.
   * @throws {SupersededError} the staging is not the newest.
   */
  keepFields(input: FieldsToKeep): readonly FieldChange[];
  /** Whether one run sent a key twice, as far as is still known: then several rows may make one record. */
  hasRepeats(input: SyncName): boolean;
  /**
   * Removes what is known of keys that were last seen before the first staging of a run. What was given up was
   * not seen.
   */
  forgetSeenBefore(input: SyncName & { readonly runId: string }): void;
  /** Makes every fingerprint of a sync unknown, at once. */
  forgetFingerprints(input: SyncName): void;
}

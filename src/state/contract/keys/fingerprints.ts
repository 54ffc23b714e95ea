import type { TextBlock } from "../../text-block.ts";
import type { SyncName } from "../runs/checkpoints.ts";
import type { StageName } from "../sends/stagings.ts";

/** What is to be done with a record. Verdicts up to `again` send it, and say why. */
export const verdict = {
  /** No record of its key was ever accepted, as far as is known. */
  new: 0,
  /** The service holds another record of its key. */
  changed: 1,
  /** The same, and it was made by a mapping that is no longer the sync's. */
  remapped: 2,
  /** Nothing says whether the service holds it. */
  unknown: 3,
  /** The service holds it, but all rows are to be sent or the key is in doubt; or the run has sent the key before. */
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

/** Room for row numbers in an age: more rows than a staging reads. */
export const rowNumbersMax = 2 ** 24;

/** The hashes of the fields of several records, `fieldBytes` for each. */
export type FieldHashes = { readonly fieldBytes: number; readonly hashes: Uint8Array };

/** A field that differs from what was known of some keys. */
export type FieldChange = {
  /** See `fieldSlots`. */
  readonly slot: number;
  /** How many of the records that are sent as changed differ in it; an added or removed field counts, too. */
  readonly changed: number;
  /** How many keys had it when they were sent before, and no longer have it, whatever their verdict. */
  readonly lost: number;
  /** Index of the first of these among the records that `keepFields` got. */
  readonly firstLost: number;
};

/** Keys to judge, with the hashes of their records; the memory is transferred to the store's thread. */
export type KeysToStage = SyncName &
  StageName & {
    readonly send: number;
    readonly keys: TextBlock;
    /** `hashBytes` for each key. */
    readonly hashes: Uint8Array;
    /** Numbers of the rows in their chunk, in the order of the source, from 1. */
    readonly rowNumbers: Uint32Array;
    /**
     * For a replay: the age of each row (`ageOf`). A row is superseded if a newer row of its key was committed, whether
     * that was sent or unchanged. Rows of a staging that was given up, and those that a cut one left, do not count.
     */
    readonly ages?: readonly number[] | undefined;
    /** Whether this staging has first sent an older record of each key once more; undefined if it did for none. */
    readonly again?: readonly boolean[] | undefined;
    /**
     * For a backfill: the number of its first staging. A key that another run sent since is left out, because that run
     * sent this row or a later one.
     */
    readonly begunAt?: number | undefined;
    /** Send records whatever their fingerprints say. */
    readonly full: boolean;
    /** Judge a key that this run has seen before as a duplicate. */
    readonly rejectDuplicates: boolean;
    /** Fingerprints committed before this time (Unix ms) are too old to count. */
    readonly committedAfter?: number | undefined;
    /** Hash of the mapping that made the records. @default no record is judged `remapped` */
    readonly mapping?: string | undefined;
  };

/** The result of judging keys. */
export type JudgedKeys = {
  /** One `verdict` for each key, in order. */
  readonly verdicts: Uint8Array;
  /**
   * For `keepFields`: the id of the fingerprint of each record that is to be sent, in order. It is negative if the
   * fingerprint does not say what the service held before.
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
   * Judges records and writes what a send of them would make of their fingerprints, apart from these and before the
   * records can leave. It counts only once its send is committed; a key sent twice in one run stays unknown. If the
   * staging is given up before any of it left, the fingerprints are as they were; otherwise its keys are unknown.
   * @throws {SupersededError} the staging is not the newest.
   */
  stageKeys(input: KeysToStage): JudgedKeys;
  /**
   * The verdicts that `stageKeys` would give a run that has staged nothing yet, each key by itself; the run need not
   * exist. Only reads.
   */
  judgeKeys(input: KeysToStage): Uint8Array;
  /**
   * Keeps the hashes of the fields of records that are to be sent, as `stageKeys` named them; returns which fields
   * differ from what the keys had before. To be called before they can leave, for one `stageKeys` after the other.
   * @throws {SupersededError} the staging is not the newest.
   */
  keepFields(input: FieldsToKeep): readonly FieldChange[];
  /** Whether a run sent a key twice, as far as is still known: several rows may make one record then. */
  hasRepeats(input: SyncName): boolean;
  /**
   * Removes what is known of keys that were last seen before the first staging of a run. Stagings that were given up
   * saw nothing.
   */
  forgetSeenBefore(input: SyncName & { readonly runId: string }): void;
  /** Makes every fingerprint of a sync unknown, at once. */
  forgetFingerprints(input: SyncName): void;
}

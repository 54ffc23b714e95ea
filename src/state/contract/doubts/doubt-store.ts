import { z } from "zod";

import type { Moment } from "../../../clock.ts";
import type { SyncName } from "../runs/checkpoints.ts";

/** A record of a staging, by its number in the staged file. */
export type StagedRecord = { readonly send: number; readonly record: number };

/** A doubtful record as stored: its staging by number, its record counted from 0. */
export const doubtfulRow = z
  .object({
    key: z.string(),
    /** The staging that sent it last, where its line is. */
    send: z.int(),
    record: z.int(),
    runId: z.string(),
    chunk: z.int(),
    stage: z.int(),
    /** Where the staged file is. */
    host: z.string(),
  })
  .readonly();

/** A record to be sent once more, and where its line is. */
export type DoubtfulRecord = z.output<typeof doubtfulRow>;

/** What of a sync is in doubt. */
export type DoubtFacts = {
  /**
   * Keys of which an older value may still be applied over the one that was sent last, which is sent once
   * more then.
   */
  readonly inDoubt: number;
  /** Such keys of which the staged line is gone, or was refused: only their source can send them again. */
  readonly lost: number;
  /** Those among them that can be sent once more: nothing older can be applied any more. */
  readonly due: number;
  /** How long until more of them can be, in ms; undefined where none waits, or a request has not ended. */
  readonly waitMs: number | undefined;
  /** Records of requests that may still be applied. */
  readonly pending: number;
  /** For how long at most, in ms; undefined while one has not ended. */
  readonly pendingMs: number | undefined;
  /** Keys that a run which was given up may have sent, and that no later run made. */
  readonly stray: number;
};

/** A stray key as stored, and the run that was given up while it sent it. */
export const strayRow = z.object({ key: z.string(), runId: z.string() }).readonly();

/** A key that may have been sent, and the run that was given up while it sent it. */
export type StrayKey = z.output<typeof strayRow>;

/** What may still land: requests of unknown outcome, and the records that were sent again before these were over. */
export interface DoubtStore {
  /** Records that are in doubt and can be sent once more now, behind `after`, in the order in which they were sent. */
  doubtfulRecords(
    input: SyncName & {
      readonly after: StagedRecord;
      readonly now: Moment;
      readonly limit: number;
    },
  ): DoubtfulRecord[];
  /** Notes that the lines of a staging are gone. */
  loseLines(input: { readonly send: number }): void;
  /** Processes other than `but` with a request of which nobody said how it ended. */
  openSenders(input: { readonly but: string }): string[];
  /** Notes that a process is gone, and that its requests ended with it: nobody knows how. */
  endSender(input: { readonly process: string; readonly now: Moment }): void;
  /**
   * Forgets requests that are over and that no key waits for, gives up the lines of hosts that are gone for good, and
   * answers what is left. `madeBy` is a run that has just sent all that its source holds: what an earlier run may have
   * sent, and this one did not make, is a stray key from now on.
   */
  settleDoubts(
    input: SyncName & {
      readonly now: Moment;
      readonly madeBy?: string | undefined;
      /** The host of who asks: it is there. */
      readonly hostId: string;
    },
  ): DoubtFacts;
  /** What of a sync is in doubt now. */
  doubtFacts(input: SyncName & { readonly now: Moment }): DoubtFacts;
  /** Keys in doubt of a sync whose staged line is gone or was refused, in order. */
  lostKeys(input: SyncName & { readonly limit: number }): string[];
  /** The syncs with keys in doubt, or stray ones: also those that are not configured any more. */
  doubtfulSyncs(input: { readonly limit: number }): SyncName[];
  /** Forgets what of a sync is in doubt and which of its keys are stray: what it holds counts no more. */
  forgetDoubts(input: SyncName): void;
  /** Stray keys of a sync, in order. */
  strayKeys(input: SyncName & { readonly limit: number }): StrayKey[];
  /** The stagings of a run whose files hold lines that may have to be sent once more. */
  keptStages(input: {
    readonly runId: string;
  }): { readonly chunk: number; readonly stage: number }[];
}

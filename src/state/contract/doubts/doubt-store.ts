import { z } from "zod";

import type { Moment } from "../../../clock.ts";
import type { SyncName } from "../runs/checkpoints.ts";

/** A record of a staging, by its number in the staged file. */
export type StagedRecord = { readonly send: number; readonly record: number };

/** A doubtful record as stored: its staging by number, its record counted from 0. */
export const doubtfulRow = z
  .object({
    key: z.string(),
    /** The last staging that sent it, whose file has its line. */
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

/** What is in doubt for a sync. */
export type DoubtFacts = {
  /** Keys over whose last sent value an older one may be applied; that value is then sent once more. */
  readonly inDoubt: number;
  /** Such keys whose staged line is gone or was refused: only their source can send them again. */
  readonly lost: number;
  /** The keys of `inDoubt` that can be sent once more, because nothing older can be applied any more. */
  readonly due: number;
  /** Time until more of them are due, in ms; undefined if none waits, or a request has not ended. */
  readonly waitMs: number | undefined;
  /** Records of requests that may still be applied. */
  readonly pending: number;
  /** How long at most they may still be applied, in ms; undefined while a request has not ended. */
  readonly pendingMs: number | undefined;
  /** Keys that a run may have sent before it was given up, and that no later run made. */
  readonly stray: number;
};

/** A stray key as stored, and the run that was given up while sending it. */
export const strayRow = z.object({ key: z.string(), runId: z.string() }).readonly();

/** A key that may have been sent, and the run that was given up while sending it. */
export type StrayKey = z.output<typeof strayRow>;

/** Requests of unknown outcome, and the records that were sent again while these might still be applied. */
export interface DoubtStore {
  /** Records in doubt, after `after`, that can be sent once more now, in the order in which they were sent. */
  doubtfulRecords(
    input: SyncName & {
      readonly after: StagedRecord;
      readonly now: Moment;
      readonly limit: number;
    },
  ): DoubtfulRecord[];
  /** Notes that the lines of a staging are gone. */
  loseLines(input: { readonly send: number }): void;
  /** Processes other than `but` with a request whose end was not noted. */
  openSenders(input: { readonly but: string }): string[];
  /** Notes that a process is gone, and that its requests ended with it, with unknown outcomes. */
  endSender(input: { readonly process: string; readonly now: Moment }): void;
  /**
   * Forgets requests that are over and that no key waits for, counts the lines of hosts that are gone for good as lost,
   * and returns what is left. `madeBy` is a run that has just sent everything in its source: keys that an earlier run
   * may have sent, and that this one did not make, are stray from now on.
   */
  settleDoubts(
    input: SyncName & {
      readonly now: Moment;
      readonly madeBy?: string | undefined;
      /** The caller's host, which counts as present. */
      readonly hostId: string;
    },
  ): DoubtFacts;
  /** What is in doubt for a sync now. */
  doubtFacts(input: SyncName & { readonly now: Moment }): DoubtFacts;
  /** A sync's keys in doubt whose staged line is gone or was refused, in order. */
  lostKeys(input: SyncName & { readonly limit: number }): string[];
  /** Syncs with keys in doubt or stray keys, including those that are no longer configured. */
  doubtfulSyncs(input: { readonly limit: number }): SyncName[];
  /**
   * Forgets which keys of a sync are in doubt or stray, because what was sent before `forgetFingerprints` no longer
   * counts.
   */
  forgetDoubts(input: SyncName): void;
  /** Stray keys of a sync, in order. */
  strayKeys(input: SyncName & { readonly limit: number }): StrayKey[];
  /** The stagings of a run whose files hold lines that may have to be sent once more. */
  keptStages(input: {
    readonly runId: string;
  }): { readonly chunk: number; readonly stage: number }[];
}

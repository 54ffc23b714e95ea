import { z } from "zod";

import type { StageName } from "../sends/stagings.ts";

/** Which rejects a replay is for: those of one run, and only of one code if it is named. */
export type ReplayOf = { readonly run: string; readonly code?: string | undefined };

/** Rejects of one span that a replay reads again. */
export type ReplayPage = {
  readonly places: readonly string[];
  /** The number of the last of them in the replay's list. */
  readonly last: number;
  /** How old each row is; see `KeysToStage`. */
  readonly ages: readonly number[];
  /** The span that was being read when they were refused. */
  readonly from: unknown;
  readonly to: unknown;
};

/** How many rejects of a run a replay would read, and how many others there are, by what became of them. */
export const openRow = z
  .object({
    /** Rejects that a replay would read. */
    open: z.int(),
    replayed: z.int(),
    superseded: z.int(),
    /** Rejects of chunks that were never committed: their rows come again with the next run. */
    uncommitted: z.int(),
  })
  .readonly();

/** Rejects of a run by what became of them. */
export type ReplayCounts = z.output<typeof openRow>;

/** Replays: which rejects a run of that kind reads again, as a numbered list that it works through. */
export interface ReplayStore {
  /** Counts the rejects that a replay is for. */
  replayCounts(input: ReplayOf): ReplayCounts;
  /**
   * Lists the rejects that a run replays, in their order: those that no replay took yet and whose chunk was committed.
   * To be called while the send lock is held; an interrupted list is continued.
   */
  listReplay(input: ReplayOf & { readonly runId: string }): void;
  /** The next rejects of a list after number `after`, all of one span; undefined at its end. */
  replayPage(input: {
    readonly runId: string;
    readonly after: number;
    readonly limit: number;
  }): ReplayPage | undefined;
  /**
   * Marks rejects of a replay's list as superseded: newer rows of their keys were staged since.
   * @throws {SupersededError} the staging is not the newest.
   */
  supersedeRejects(input: StageName & { readonly places: readonly string[] }): void;
}

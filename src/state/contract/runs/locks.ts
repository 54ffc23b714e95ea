import { z } from "zod";

/** A workflow that holds a lock or waits for it. */
export const lockHolder = z.object({
  workflowId: z.string(),
  firstRunId: z.string(),
  runId: z.string(),
  kind: z.string(),
});

/** Who holds a lock: the workflow, by its id and the run id of its first execution, which continue-as-new keeps. */
export type LockHolder = Readonly<z.output<typeof lockHolder>>;

/**
 * The send lock: a sync is sent by one run at a time. It never times out; a holder that is closed is replaced, and a
 * backfill yields it to a run that waits.
 */
export interface LockStore {
  /**
   * Takes the lock when it is free, already this run's, or held by `insteadOf`, whose stagings are given up with it:
   * whatever its zombies still write is refused. A backfill does not take a lock that another run waits for, unless
   * that run is `insteadOf`.
   * @returns the fence number of this holding, or who holds the lock or waits for it.
   */
  takeLock(
    input: LockHolder & {
      readonly name: string;
      /** The holder, or the waiting run, that is closed according to Temporal. */
      readonly insteadOf?: LockHolder | undefined;
      readonly at: string;
    },
  ): { readonly fence: number } | { readonly holder: LockHolder };
  /** Gives the lock back, and with it what the run has staged; does nothing when another run holds it. */
  releaseLock(input: {
    readonly name: string;
    readonly runId: string;
    /** The number of the holding that ends: an attempt that stood still ends no later one. @default whichever it is */
    readonly fence?: number | undefined;
    /** Whether to keep the lock where the run has staged anything. @default false */
    readonly keptIfStaged?: boolean | undefined;
  }): void;
  /** Asks the backfill that holds the lock to yield it. @returns whether a backfill holds it. */
  wantLock(input: LockHolder & { readonly name: string }): boolean;
  /** Whether a run waits for a lock that is held. */
  isLockWanted(name: string): boolean;
  lockHolder(name: string): LockHolder | undefined;
}

/** The name of a sync's send lock. */
export function sendLock(target: string, sync: string): string {
  return `sync ${sync} to ${target}`;
}

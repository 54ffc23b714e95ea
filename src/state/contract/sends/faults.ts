import type { Moment } from "../../../clock.ts";

/** A fault that one chunk met, by a name that distinguishes the chunk's faults. */
export type FaultName = {
  readonly runId: string;
  readonly chunk: number;
  readonly fault: string;
};

/**
 * Faults that a chunk meets repeatedly. They are counted here because an attempt's number also counts waits and dead
 * workers, and because the next attempt may be another worker's.
 */
export interface FaultStore {
  /**
   * Counts a fault; returns how often the chunk met it, and the time from the first to this one in ms, which is 0 if
   * the clock began anew between them.
   */
  countFault(input: FaultName & { readonly now: Moment }): {
    readonly times: number;
    readonly forMs: number;
  };
  /** How often the chunk met a fault. */
  faultTimes(input: FaultName): number;
  /** Forgets a fault, so that it is counted anew. */
  clearFault(input: FaultName): void;
}

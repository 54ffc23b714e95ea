import type { Moment } from "../../../clock.ts";

/** A fault that one chunk met, by a name that tells its faults apart. */
export type FaultName = {
  readonly runId: string;
  readonly chunk: number;
  readonly fault: string;
};

/**
 * Faults: what a chunk meets again and again. Counted here, because an attempt's number also counts waits and
 * dead workers, and because the next attempt may be another worker's.
 */
export interface FaultStore {
  /**
   * Counts a fault; answers how often the chunk met it, and the time from the first to this one in ms: from
   * this one when the clock began anew between them.
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

import { faultTimesMax } from "../../src/api/limits.ts";
import {
  ConfigError,
  OutcomeUnknownError,
  TransientError,
  StagingError,
} from "../../src/errors.ts";
import type { SluiceError, RetryBudget } from "../../src/errors.ts";
import { freeBytes } from "../../src/staging/folder.ts";
import type { Dependencies } from "../dependencies.ts";
import { retryDelayMsMax, retryDelayMsMin } from "../limits.ts";

type Bearing = Pick<Dependencies, "clock" | "config" | "stagingFolder" | "state">;

/** The name under which unknown outcomes are counted that have no name of their own. */
export const unknownOutcome = "OutcomeUnknown";

/** The chunk, or its part, that faults are counted for. */
type FaultsOf = {
  readonly runId: string;
  readonly chunk: number;
  /** Names an unknown outcome, to distinguish those of one part from another's. */
  readonly unknown?: string;
};

/**
 * Does work that may fail temporarily, for one chunk. Such a fault is counted in the store, and thrown with a delay
 * that grows with its number; a fault whose retry budget is used up is thrown as the error that it becomes.
 */
export async function withRetryBudget<Result>(
  deps: Bearing,
  of: FaultsOf,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TransientError) || error.retryAfterMs !== undefined) throw error;
    throw await judged(deps, of, error);
  }
}

async function judged(
  deps: Bearing,
  { runId, chunk, unknown = unknownOutcome }: FaultsOf,
  error: TransientError,
): Promise<SluiceError> {
  const anyTimes = {
    fault: error instanceof OutcomeUnknownError ? unknown : error.code,
    becomes: error,
  };
  const retryBudget: RetryBudget =
    error.retryBudget ?? (await retryBudgetOf(deps, error)) ?? anyTimes;
  const { timesMax = Infinity, msMax = Infinity, fault, becomes } = retryBudget;
  // A store that cannot count must not hide the outcome of the request.
  const counted = await deps.state
    .countFault({ runId, chunk, fault, now: deps.clock() })
    .catch(() => undefined);
  if (counted === undefined) return error;
  if (counted.times >= timesMax || counted.forMs >= msMax) return becomes;
  const delayMs = retryDelayMs(deps.config.advanced, counted.times);
  return delayMs === undefined ? error : error.after(delayMs);
}

/** A full disk or a dying thread ends a run in time; every other fault without a retry budget of its own does not. */
async function retryBudgetOf(
  { stagingFolder }: Bearing,
  error: TransientError,
): Promise<RetryBudget | undefined> {
  if (!(error instanceof StagingError)) return undefined;
  const free = await freeBytes(stagingFolder).catch(() => undefined);
  const left = free === undefined ? "" : `; ${free} bytes are free there`;
  const becomes = new ConfigError(`${error.message}, ${faultTimesMax} times${left}`, {
    cause: error,
    field: "state",
    hint: error.hint,
  });
  return { fault: "staging", timesMax: faultTimesMax, becomes };
}

/**
 * The delay before the next attempt, in ms: random below a bound that doubles each time, so that those who failed
 * together do not come back together. Undefined, which leaves it to the retry policy, while the bound is shorter than
 * any delay that Temporal takes.
 * @param random from 0 to 1.
 */
export function retryDelayMs(
  {
    retryInitialMs,
    retryMaxMs = retryDelayMsMax,
  }: {
    readonly retryInitialMs: number;
    readonly retryMaxMs?: number | undefined;
  },
  times: number,
  random: () => number = Math.random,
): number | undefined {
  const longest = Math.min(retryInitialMs * 2 ** times, retryMaxMs, retryDelayMsMax);
  if (longest < retryDelayMsMin) return undefined;
  return retryInitialMs + random() * Math.max(0, longest - retryInitialMs);
}

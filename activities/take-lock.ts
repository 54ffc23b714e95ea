import { BusyError } from "../src/errors.ts";
import type { LockHolder } from "../src/state/locks.ts";
import { abandonRun } from "./close-abandoned.ts";
import { isoNow, type Dependencies } from "./dependencies.ts";
import { isRunOpen } from "./run-open.ts";

/**
 * Takes the lock of a sync or pull for a run; one that a closed workflow left behind is taken over.
 * @returns the fence number of this holding.
 * @throws {BusyError} another run holds it.
 */
export async function takeRunLock(
  deps: Dependencies,
  run: LockHolder & {
    /** Of the lock. */
    readonly name: string;
    /** What it locks, as a person reads it: "sync accounts is being sent". */
    readonly what: string;
  },
): Promise<number> {
  const { name, what, workflowId, firstRunId, runId, kind } = run;
  const ask = { name, workflowId, firstRunId, runId, kind, at: isoNow(deps) };
  let answer = await deps.state.takeLock(ask);
  if ("holder" in answer && !(await isRunOpen(deps, answer.holder))) {
    // A terminated or timed-out workflow cannot give its lock back: Temporal says that it is closed.
    const { holder } = answer;
    answer = await deps.state.takeLock({ ...ask, insteadOf: holder });
    if ("fence" in answer) await abandonRun(deps, holder);
  }
  if ("fence" in answer) return answer.fence;
  const { holder } = answer;
  throw new BusyError(`${what} by run ${holder.runId} (workflow ${holder.workflowId})`, {
    hint: `wait for it, or \`sluice cancel ${holder.runId}\``,
  });
}

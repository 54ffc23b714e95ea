import { BusyError, LockWaitError } from "../../src/errors.ts";
import { type Hold, openHold } from "../../src/state/contract/runs/holds.ts";
import type { LockHolder } from "../../src/state/contract/runs/locks.ts";
import { isoNow, type Dependencies } from "../dependencies.ts";
import { abandonOthers, abandonRun } from "./close-abandoned.ts";
import { isRunOpen } from "./run-open.ts";

/** The error of a run that cannot begin because of another one, which itself waits for a person. */
function busyHeld(runId: string, what: string, { since }: Hold): BusyError {
  return new BusyError(`${what} by run ${runId}, which is held since ${since}`, {
    hint: `\`sluice runs show ${runId}\`, then \`sluice approve ${runId}\` or \`sluice discard ${runId}\``,
  });
}

/**
 * Takes the lock of a sync or pull for a run; takes over a lock that a closed workflow left behind, and ends the runs
 * that such workflows left open.
 * @returns the fence number of this holding.
 * @throws {BusyError} another run holds it. @throws {LockWaitError} a backfill is about to yield it to this run, a
 * resend holds it, or this is a backfill, which continues when a shorter run is over.
 */
export async function takeRunLock(
  deps: Dependencies,
  run: LockHolder & {
    /** The name of the lock. */
    readonly name: string;
    /** Set for a backfill that has begun: it waits for another backfill, too. */
    readonly isBegun?: boolean | undefined;
    /** What the lock protects, as a person reads it: "sync accounts is being sent". */
    readonly what: string;
  },
): Promise<number> {
  const { name, what, workflowId, firstRunId, runId, kind } = run;
  const by = { name, workflowId, firstRunId, runId, kind };
  const request = { ...by, at: isoNow(deps) };
  let answer = await deps.state.takeLock(request);
  // A terminated or timed-out workflow cannot release its lock, or stop waiting for it: Temporal says that it is
  // closed.
  const closed: LockHolder[] = [];
  // A workflow makes one run at a time: nobody continues a run that it began before it was reset.
  const isLeft = ({ firstRunId: first, runId: other }: LockHolder): boolean =>
    first === firstRunId && other !== runId;
  while ("holder" in answer && (isLeft(answer.holder) || !(await isRunOpen(deps, answer.holder)))) {
    const { holder } = answer;
    if (closed.some((known) => known.runId === holder.runId)) break;
    closed.push(holder);
    // First, because an attempt that dies in between finds its own lock, and no holder.
    await abandonRun(deps, holder);
    answer = await deps.state.takeLock({ ...request, insteadOf: holder });
  }
  if ("fence" in answer) {
    await abandonOthers(deps, runId);
    return answer.fence;
  }
  const { holder } = answer;
  // Nightly runs and deliveries go before a backfill, which releases the lock after its next chunk.
  const isYielded = kind !== "backfill" && (await deps.state.wantLock(by));
  const mayWait = kind === "backfill" && (run.isBegun === true || holder.kind !== "backfill");
  // A resend is over in a moment, and nobody asked for it.
  if (isYielded || mayWait || (holder.kind === "resend" && kind !== "resend")) {
    throw new LockWaitError(`waiting until run ${holder.runId} lets the send lock go: ${what}`);
  }
  const other = await deps.state.run(holder.runId);
  const held = other === undefined ? undefined : openHold(other);
  if (held !== undefined) throw busyHeld(holder.runId, what, held);
  throw new BusyError(`${what} by run ${holder.runId} (workflow ${holder.workflowId})`, {
    hint: `wait for it, or \`sluice cancel ${holder.runId}\``,
  });
}

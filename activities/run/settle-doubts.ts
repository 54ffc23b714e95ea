import { messageOf } from "../../src/errors.ts";
import { doubtWarnings } from "../../src/report/doubt-warnings.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import { hostForgottenMs } from "../../src/state/limits.ts";
import { attempt } from "../attempt.ts";
import { syncOf, type Dependencies } from "../dependencies.ts";

/** The dependencies of looking for doubts. */
type Looking = Pick<
  Dependencies,
  "clock" | "hostId" | "isProcessGone" | "now" | "process" | "state" | "unnotedEnds"
>;

/** Whether a process has ended; if that cannot be checked, whether it has been silent for a day. */
async function isGone(
  { isProcessGone, now, state }: Pick<Looking, "isProcessGone" | "now" | "state">,
  process: string,
): Promise<boolean> {
  const known = isProcessGone(process);
  if (known !== undefined) return known;
  const beats = await state.beats({ nowMs: now(), withinMs: hostForgottenMs });
  return !beats.some(({ name }) => name === process);
}

/**
 * Notes the end of requests of processes that are gone, and of requests of this process whose end the store could not
 * note at the time: nobody knows how they ended.
 */
export async function endGoneSenders(deps: Omit<Looking, "hostId">): Promise<void> {
  const { clock, process: but, state, unnotedEnds } = deps;
  for (const [number, now] of unnotedEnds) {
    await state.endRequest({ number, now });
    unnotedEnds.delete(number);
  }
  for (const process of await state.openSenders({ but })) {
    if (await isGone(deps, process)) await state.endSender({ process, now: clock() });
  }
}

/** Settles doubts when a run has ended, and starts a resend for keys still in doubt, which waits for older requests. */
export async function settleDoubts(
  deps: Looking & Resending,
  { runId, target, sync, kind, request }: Run,
  isDone: boolean,
): Promise<void> {
  const { clock, hostId, state } = deps;
  const isWhole = kind === "sync" || kind === "inbox";
  const hasMadeAll = isDone && isWhole && request.limit === undefined;
  await endGoneSenders(deps);
  const madeBy = hasMadeAll ? runId : undefined;
  const facts = await state.settleDoubts({ target, sync, now: clock(), madeBy, hostId });
  const warnings = doubtWarnings(facts, { isDone });
  if (warnings.length > 0) await state.addWarnings({ runId, warnings });
  if (facts.inDoubt > 0 && kind !== "resend") await beginResend(deps, sync);
}

/** The dependencies of starting a resend. */
type Resending = Pick<Dependencies, "log" | "startResend">;

/** Starts a resend. If Temporal does not take it, the next run sends the records, or a worker or check starts it. */
async function beginResend({ log, startResend }: Resending, sync: string): Promise<void> {
  try {
    await startResend(sync);
  } catch (error) {
    log.warn({ sync, why: messageOf(error) }, "records in doubt wait for the next run");
  }
}

/**
 * Starts a resend for each sync with records in doubt: the workflow that was to send them may be gone, and no run may
 * come.
 */
export async function resumeResends(
  deps: Resending & Pick<Dependencies, "clock" | "config" | "state" | "target">,
): Promise<void> {
  const { clock, config, state, target } = deps;
  for (const sync of config.syncs.keys()) {
    const { inDoubt } = await state.doubtFacts({ target, sync, now: clock() });
    if (inDoubt > 0) await beginResend(deps, sync);
  }
}

/** Result of `lookForDoubts`. */
export type DoubtLook = {
  /** Keys in doubt. */
  readonly inDoubt: number;
  /** Keys that can be sent again now. */
  readonly due: number;
  /** Time until more can be sent; undefined if unknown. */
  readonly waitMs?: number | undefined;
};

/** Counts the keys of a sync that are in doubt, and those of them that can be sent again. */
export function createLookForDoubts(
  deps: Dependencies,
): (input: { readonly sync: string }) => Promise<DoubtLook> {
  return async ({ sync: name }) =>
    await attempt(async () => {
      const { state, target, clock, hostId } = deps;
      const { name: sync } = syncOf(deps, name);
      await endGoneSenders(deps);
      const asked = { target, sync, now: clock(), hostId };
      const { inDoubt, due, waitMs } = await state.settleDoubts(asked);
      return { inDoubt, due, waitMs };
    });
}

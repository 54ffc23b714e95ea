import { messageOf } from "../../src/errors.ts";
import { doubtWarnings } from "../../src/report/doubt-warnings.ts";
import type { Run } from "../../src/state/contract/runs/runs.ts";
import { hostForgottenMs } from "../../src/state/limits.ts";
import { attempt } from "../attempt.ts";
import { syncOf, type Dependencies } from "../dependencies.ts";

/** What looking for doubts needs. */
type Looking = Pick<
  Dependencies,
  "clock" | "hostId" | "isProcessGone" | "now" | "process" | "state" | "unnotedEnds"
>;

/** Whether a process has ended; of one that cannot be looked for, whether it has been silent for a day. */
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
 * Notes the requests of processes that are gone, and those of this one of which the store could not note it
 * when they ended: nobody knows how.
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

/** Settles what may still land when a run has ended, and has the rest sent once more when that is over. */
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

/** What starting a resend needs. */
type Resending = Pick<Dependencies, "log" | "startResend">;

/** Where Temporal does not take it, the next run sends what is in doubt, or the next worker or check begins it. */
async function beginResend({ log, startResend }: Resending, sync: string): Promise<void> {
  try {
    await startResend(sync);
  } catch (error) {
    log.warn({ sync, why: messageOf(error) }, "records in doubt wait for the next run");
  }
}

/**
 * Starts what sends the records in doubt once more, of each sync that has some: what was to do it may be
 * gone, and no run may come.
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
  /** Those that can be sent once more now. */
  readonly due: number;
  /** Until more can be; undefined where nobody knows. */
  readonly waitMs?: number | undefined;
};

/** Looks what of a sync is in doubt, and what of it can be sent once more. */
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

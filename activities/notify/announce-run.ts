import { receiversOf } from "../../src/notify/receivers.ts";
import type { RunReport } from "../../src/report/report.ts";
import type { Dependencies } from "../dependencies.ts";
import { drainRunsKeptMs, notifyLateMsMax } from "../limits.ts";

/** Runs of the same kind that are searched for the previous one. */
const runsLookedAtMax = 20;

/** Whether the previous drain or resend at its target ended the same way: a failure that repeats is announced once. */
async function isNotified(
  { now, state }: Pick<Dependencies, "now" | "state">,
  { kind, sync, run_id: runId, outcome, error }: RunReport,
): Promise<boolean> {
  if (kind !== "inbox" && kind !== "resend") return false;
  // Drains may come by the dozen between two resends.
  const runs = await state.runs({ sync, kinds: [kind], limit: runsLookedAtMax });
  const own = runs.findIndex((run) => run.runId === runId);
  const target = runs[own]?.target;
  // Without its place nothing says which one was before it: twice is better than never.
  const before = own === -1 ? undefined : runs.slice(own + 1).find((run) => run.target === target);
  if (before?.outcome !== outcome || before.failure?.code !== error?.code) return false;
  // Successes that ended since may have been removed already.
  return before.endedAt !== null && now() - Date.parse(before.endedAt) < drainRunsKeptMs;
}

/**
 * Starts a separate workflow that notifies each receiver once of a run that ended or is held. It can neither fail nor
 * delay the run. If Temporal does not take it, a warning of the run says so.
 */
export async function announceRun(
  deps: Pick<Dependencies, "config" | "now" | "startNotifying" | "state">,
  report: RunReport,
): Promise<void> {
  const { config, state } = deps;
  const receivers = receiversOf(config.notify, report);
  const { run_id: runId } = report;
  const held = report.outcome === "held" ? report.hold : undefined;
  const since = held?.since ?? report.ended_at;
  if (receivers.length === 0 || since === null) return;
  // Temporal forgets old workflows: a run that is closed again long after it ended would be announced again.
  if (deps.now() - Date.parse(since) > notifyLateMsMax) return;
  if (await isNotified(deps, report)) return;
  const targets = [...new Set(receivers.map(({ target }) => target))];
  try {
    await deps.startNotifying({ run_id: runId, targets, hold: held?.number });
  } catch {
    const warnings = ["nobody was notified of this run: Temporal did not take the notification"];
    await state.addWarnings({ runId, warnings });
  }
}

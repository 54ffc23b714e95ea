import { notifyLateMsMax } from "../src/limits.ts";
import { receiversOf } from "../src/notify/receivers.ts";
import type { RunReport } from "../src/report.ts";
import type { Dependencies } from "./dependencies.ts";

/**
 * Has those told of a run that ended who are to hear of it: starts the workflow that does so, by itself and once a run. It
 * can neither fail nor hold up the run; when Temporal does not take it, a warning of the run says so.
 */
export async function announceRun(
  {
    config,
    now,
    startNotifying,
    state,
  }: Pick<Dependencies, "config" | "now" | "startNotifying" | "state">,
  report: RunReport,
): Promise<void> {
  const receivers = receiversOf(config.notify, report);
  const { run_id: runId, ended_at: endedAt } = report;
  if (receivers.length === 0 || endedAt === null) return;
  // Temporal forgets which workflows there were: a run that is closed again long after it ended would be told of again.
  if (now() - Date.parse(endedAt) > notifyLateMsMax) return;
  const targets = [...new Set(receivers.map(({ target }) => target))];
  try {
    await startNotifying({ run_id: runId, targets });
  } catch {
    const warnings = ["nobody was told of this run: Temporal did not take the notification"];
    await state.addWarnings({ runId, warnings });
  }
}

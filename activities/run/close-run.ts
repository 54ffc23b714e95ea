import { reportReasonsMax } from "../../src/limits.ts";
import { buildReport, imbalance, pullImbalance, type RunReport } from "../../src/report/report.ts";
import { pullLock } from "../../src/state/contract/pull/pulls.ts";
import { sendLock } from "../../src/state/contract/runs/locks.ts";
import type { Outcome, RunFailure } from "../../src/state/contract/runs/runs.ts";
import { attempt } from "../attempt.ts";
import { isoNow, type Dependencies } from "../dependencies.ts";
import type { CloseRunInput } from "../inputs.ts";
import { announceRun } from "../notify/announce-run.ts";
import { warnOfEmptySource } from "./empty-source.ts";
import { forgetPassed } from "./followed-rows.ts";
import { settleMapping } from "./older-mapping.ts";
import { settleDoubts } from "./settle-doubts.ts";
import { isWholeReading } from "./whole-reading.ts";

/** The dependencies of `endRun`. */
export type RunClosing = Pick<
  Dependencies,
  | "clock"
  | "config"
  | "hostId"
  | "isProcessGone"
  | "log"
  | "now"
  | "process"
  | "runClosed"
  | "sources"
  | "startNotifying"
  | "startResend"
  | "state"
  | "unnotedEnds"
>;

/**
 * Ends a run: abandons what is not committed, checks that the counts balance (I2), releases the send lock and returns
 * the report, which is also announced; null for a run that was never opened. Twice is once: a run keeps its first
 * outcome.
 */
export async function endRun(
  deps: RunClosing,
  { runId, ...input }: Omit<CloseRunInput, "outcome"> & { readonly outcome: Outcome },
): Promise<RunReport | null> {
  const { state } = deps;
  const run = await state.run(runId);
  // An unknown sync, or a store that was away: there is nothing to close.
  if (run === undefined) return null;
  if (input.mode !== undefined) await state.setMode({ runId, ...input.mode });
  await state.dropStagings({ runId });
  const tally = await state.tally({ runId, staged: false });
  const pull = await state.pullTally({ runId });
  const bucket = pull === undefined ? imbalance(tally) : pullImbalance(pull);
  let [outcome, failure]: [Outcome, RunFailure | undefined] = [input.outcome, input.failure];
  if (outcome === "done" && bucket !== undefined) {
    const message = `the run does not balance: ${bucket}`;
    [outcome, failure] = ["failed", { code: "NotBalanced", message }];
  }
  const isPull = run.kind === "pull";
  const { read, rejected } = pull ?? tally;
  if (outcome === "done" && read === 0 && !isPull) await warnOfEmptySource(deps, run);
  if (!isPull) {
    await settleDoubts(deps, run, outcome === "done");
    await settleMapping(deps, run, outcome === "done");
    if (outcome === "done") await forgetPassed(deps, run);
    if (outcome === "done" && isWholeReading(deps, run)) {
      await state.keepReading({ runId, at: isoNow(deps) });
    }
  }
  if (outcome === "done" && rejected + run.gone > 0) outcome = "done_with_rejects";
  const ended = await state.endRun({ runId, outcome, failure, endedAt: isoNow(deps) });
  const reasons = await state.rejectReasons({ runId, limit: reportReasonsMax });
  const givenUp = isPull ? undefined : await state.givenUp({ runId });
  const report = buildReport({ run: ended, tally, reasons, pull, givenUp });
  const { target, sync } = run;
  const name = isPull ? pullLock(target, sync) : sendLock(target, sync);
  await state.releaseLock({ name, runId });
  const { counts, bytes, duration_ms: ms } = report;
  deps.log.info({ run: runId, sync, ...counts, ...bytes, ms }, `run closed: ${report.outcome}`);
  // An attempt after the end is not counted again.
  if (run.endedAt === null) deps.runClosed?.(report);
  await announceRun(deps, report);
  return report;
}

/** Ends a run for its workflow (`endRun`). */
export function createCloseRun(
  deps: Dependencies,
): (input: CloseRunInput) => Promise<RunReport | null> {
  return async (input) =>
    await attempt(async () => {
      const report = await endRun(deps, input);
      if (report?.kind === "backfill") deps.seedTemplate?.(report.workflow_id);
      return report;
    });
}

import { ApplicationFailure, continueAsNew, workflowInfo } from "@temporalio/workflow";

import type { RunReport } from "../../src/report/report.ts";
import { cancelledBeforeNext, end } from "../ending.ts";
import { progressOf, runBatch } from "./run-batch.ts";
import { RunView } from "./run-view.ts";
import { scheduledTime } from "./scheduled-time.ts";
import { newRunId, parseSyncInput } from "./sync-input.ts";

/**
 * Transfers one sync: opens a run, stages and sends chunk after chunk with the checkpoint after each, and closes it
 * with a report that balances. Continues as new between chunks when Temporal suggests it; a cancel still commits
 * accepted chunks.
 */
export async function sync(raw: unknown): Promise<RunReport> {
  const info = workflowInfo();
  const parsed = parseSyncInput(raw, info.firstExecutionRunId);
  if ("problem" in parsed) throw ApplicationFailure.nonRetryable(parsed.problem, "InvalidInput");
  const { sync: name, continued, ...request } = parsed.input;
  const runId = continued?.run_id ?? newRunId(name, info);
  const view = new RunView(progressOf(runId, name, continued));
  const kind = request.replay === undefined ? "sync" : "replay";
  const wanted = { kind, nominalAt: scheduledTime(), request } as const;
  const ended = await runBatch({ view, wanted, continued });
  if (ended.kind === "close") return await end(view, ended);
  const cancelled = await cancelledBeforeNext();
  if (cancelled !== undefined) return await end(view, cancelled);
  return await continueAsNew<typeof sync>({ ...parsed.input, continued: ended.continued });
}

import {
  allHandlersFinished,
  ApplicationFailure,
  condition,
  continueAsNew,
  workflowInfo,
} from "@temporalio/workflow";

import type { OpenedRun } from "../activities/inputs.ts";
import type { RunReport } from "../src/report.ts";
import type { ChosenMode } from "./choose-mode.ts";
import { closingOf, end, type Ending } from "./ending.ts";
import { nominalTime } from "./nominal-time.ts";
import { activitiesOf, openRun } from "./policies.ts";
import { noCounts, withCommitted, withoutStaged, withStaged, type Progress } from "./progress.ts";
import { nameInSearch, RunView } from "./run-view.ts";
import { sweep } from "./send-chunk.ts";
import { newRunId, parseSyncInput, type SyncInput } from "./sync-input.ts";
import { transferBatch } from "./transfer.ts";

/** What is known of a run before it reads anything. */
function progressOf(runId: string, { sync: syncName, continued }: SyncInput): Progress {
  return {
    run_id: runId,
    sync: syncName,
    mode: continued?.mode.mode ?? null,
    mode_reason: continued?.mode.reason ?? null,
    counts: { ...noCounts, ...continued?.counts },
    waiting: null,
    report: null,
  };
}

/** Opens the run, or goes on with the one that continued as new. */
async function open(
  view: RunView,
  { continued, sync: syncName, ...asked }: SyncInput,
): Promise<OpenedRun> {
  if (continued !== undefined) return continued.opened;
  const { workflowId, firstExecutionRunId: firstRunId } = workflowInfo();
  const { run_id: runId } = view.progress;
  const { dry_run: dryRun, ...request } = asked;
  return await openRun({
    sync: syncName,
    kind: request.replay === undefined ? "sync" : "replay",
    runId,
    workflowId,
    firstRunId,
    nominalAt: nominalTime(),
    request: { ...request, dryRun },
  });
}

/** How an execution of the workflow ended: to be continued, or to be closed. */
type Ended =
  | { readonly kind: "continue"; readonly input: SyncInput }
  | ({ readonly kind: "close" } & Ending);

/** Transfers until the source ends or it is time to continue as new; `onOpened` hears when the run changes its host. */
async function transfer(
  { view, input }: { readonly view: RunView; readonly input: SyncInput },
  from: OpenedRun,
  onOpened: (opened: OpenedRun) => void,
): Promise<Ended> {
  const { continued } = input;
  let mode: ChosenMode | undefined = continued?.mode;
  const { kind, place } = await transferBatch(
    {
      onMode: (chosen) => {
        mode = chosen;
        view.update({ mode: chosen.mode, mode_reason: chosen.reason });
      },
      onStaged: (staged) => view.update({ counts: withStaged(view.progress.counts, staged) }),
      onCommitted: (staged) => view.update({ counts: withCommitted(view.progress.counts, staged) }),
      onRestage: (dropped) =>
        view.update({ counts: dropped.reduce(withoutStaged, view.progress.counts) }),
      onPlace: ({ opened }) => onOpened(opened),
      waiting: (why) => {
        if (why !== view.progress.waiting) view.update({ waiting: why });
      },
    },
    { opened: from, chunk: continued?.chunk ?? 1, mode },
  );
  if (kind === "done" || mode === undefined) {
    return { kind: "close", closing: { outcome: "done", mode } };
  }
  const { run_id, counts } = view.progress;
  const { opened, chunk } = place;
  return {
    kind: "continue",
    input: { ...input, continued: { run_id, chunk, mode, opened, counts } },
  };
}

async function execute(view: RunView, input: SyncInput): Promise<Ended> {
  let opened: OpenedRun | undefined;
  try {
    opened = await open(view, input);
    if (opened.settings.searchAttribute) nameInSearch(input.sync);
    return await transfer({ view, input }, opened, (moved) => {
      opened = moved;
    });
  } catch (error) {
    const { run_id: runId, mode, mode_reason } = view.progress;
    if (opened !== undefined) await sweep(activitiesOf(opened), { runId });
    const chosen = mode === null ? undefined : { mode, reason: mode_reason ?? "" };
    return { kind: "close", closing: { ...closingOf(error), mode: chosen }, cause: error };
  }
}

/**
 * Transfers one sync: opens a run, stages and sends chunk after chunk with the checkpoint behind each, and closes it with
 * a report that balances. Continues as new between chunks when Temporal suggests it; a cancel commits what was accepted.
 */
export async function sync(raw: unknown): Promise<RunReport> {
  const info = workflowInfo();
  const parsed = parseSyncInput(raw, info.firstExecutionRunId);
  if ("problem" in parsed) throw ApplicationFailure.nonRetryable(parsed.problem, "InvalidInput");
  const { input } = parsed;
  const runId = input.continued?.run_id ?? newRunId(input.sync, info);
  const view = new RunView(progressOf(runId, input));
  const ended = await execute(view, input);
  if (ended.kind === "continue") {
    await condition(allHandlersFinished);
    return await continueAsNew<typeof sync>(ended.input);
  }
  return await end(view, ended);
}

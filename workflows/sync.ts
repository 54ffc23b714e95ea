import { defineSearchAttributeKey, SearchAttributeType } from "@temporalio/common";
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  isCancellation,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from "@temporalio/workflow";

import type { CloseRunInput, OpenedRun } from "../activities/inputs.ts";
import type { RunReport } from "../src/report.ts";
import type { ChosenMode } from "./choose-mode.ts";
import { faultOf } from "./failures.ts";
import { activitiesOf, closeRun, openRun } from "./policies.ts";
import {
  noCounts,
  progressDetails,
  reportDetails,
  withCommitted,
  withStaged,
  withoutStaged,
  type Progress,
} from "./progress.ts";
import { sweep } from "./send-chunk.ts";
import { newRunId, parseSyncInput, type SyncInput } from "./sync-input.ts";
import { transferBatch } from "./transfer.ts";

/** The query behind the command line's progress bar. */
const progressQuery = defineQuery<Progress>("progress");

const searchAttribute = defineSearchAttributeKey("SluiceSync", SearchAttributeType.KEYWORD);

/** The run as its workflow holds it: one object behind the query, the details and continue-as-new. */
class RunView {
  progress: Progress;

  constructor(runId: string, { sync: syncName, continued }: SyncInput) {
    this.progress = {
      run_id: runId,
      sync: syncName,
      mode: continued?.mode.mode ?? null,
      mode_reason: continued?.mode.reason ?? null,
      counts: { ...noCounts, ...continued?.counts },
      waiting: null,
      report: null,
    };
    setHandler(progressQuery, () => this.progress, { description: "Counts of the run so far" });
    this.update({});
  }

  update(change: Partial<Progress>): void {
    this.progress = { ...this.progress, ...change };
    const { report } = this.progress;
    setCurrentDetails(report === null ? progressDetails(this.progress) : reportDetails(report));
  }
}

/** How an error ends a run. */
function closingOf(error: unknown): Pick<CloseRunInput, "outcome" | "failure"> {
  if (isCancellation(error)) return { outcome: "cancelled" };
  const fault = faultOf(error);
  const failure = {
    code: fault?.type ?? "Unexpected",
    message: fault?.message ?? String(error),
    hint: fault?.facts.hint,
  };
  if (failure.code === "Busy") return { outcome: "busy", failure };
  if (failure.code === "CreditsExhausted") return { outcome: "credits_exhausted", failure };
  return { outcome: "failed", failure };
}

async function close(view: RunView, closing: Closing): Promise<RunReport | null> {
  const { run_id: runId } = view.progress;
  return await CancellationScope.nonCancellable(async () => {
    const report = await closeRun({ runId, ...closing });
    if (report !== null) view.update({ report, waiting: null });
    return report;
  });
}

function textOf({
  message,
  hint,
}: {
  readonly message: string;
  readonly hint?: string | undefined;
}): string {
  return hint === undefined ? message : `${message} (${hint})`;
}

/** The failure of a run that was not even opened: an unknown sync, a store that is away. */
function openFailure({ failure }: Closing): ApplicationFailure {
  const { code = "Unexpected", message = "the run was not opened", hint } = failure ?? {};
  return ApplicationFailure.nonRetryable(textOf({ message, hint }), code);
}

/** The failure of a run that was opened and did not end well; its report travels as the failure's detail. */
function runFailure(report: RunReport): ApplicationFailure {
  const { message = `the run ended as ${report.outcome}`, hint, code } = report.error ?? {};
  return ApplicationFailure.nonRetryable(textOf({ message, hint }), code ?? "Unexpected", report);
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
    kind: "sync",
    runId,
    workflowId,
    firstRunId,
    request: { ...request, dryRun },
  });
}

/** How an execution of the workflow ended: to be continued, or to be closed. */
type Ended =
  | { readonly kind: "continue"; readonly input: SyncInput }
  | { readonly kind: "close"; readonly closing: Closing; readonly cause?: unknown };

type Closing = Omit<CloseRunInput, "runId">;

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
    if (opened.settings.searchAttribute) {
      upsertSearchAttributes([{ key: searchAttribute, value: input.sync }]);
    }
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
  const view = new RunView(input.continued?.run_id ?? newRunId(input.sync, info), input);
  const ended = await execute(view, input);
  if (ended.kind === "continue") {
    await condition(allHandlersFinished);
    return await continueAsNew<typeof sync>(ended.input);
  }
  const report = await close(view, ended.closing);
  await condition(allHandlersFinished);
  if (isCancellation(ended.cause)) throw ended.cause;
  if (report === null) throw openFailure(ended.closing);
  if (report.outcome === "failed") throw runFailure(report);
  return report;
}

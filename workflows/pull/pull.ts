import { ApplicationFailure, continueAsNew, workflowInfo } from "@temporalio/workflow";

import type { OpenedPull, PulledPages } from "../../activities/pull/inputs.ts";
import type { RunReport } from "../../src/report/report.ts";
import { cancelledBeforeNext, end, endingOf, type Ending } from "../ending.ts";
import { retryWhileThrottled } from "../failures.ts";
import { postingPagesPerActivity } from "../limits.ts";
import { openPull, pullActivitiesOf } from "../policies.ts";
import { noCounts, type Progress, type PullProgress } from "../sync/progress.ts";
import { nameInSearch, RunView } from "../sync/run-view.ts";
import { scheduledTime } from "../sync/scheduled-time.ts";
import { parsePullInput, type PullInput } from "./pull-input.ts";

/** What a pull reads: the pages of one search, or those of every domain. */
export type Reads = "domains" | "search";

/**
 * With one page per activity, the history shows what was paid for. Job postings would fill it, because most companies
 * have one page.
 */
const pagesPerActivity: Readonly<Record<Reads, number>> = {
  search: 1,
  domains: postingPagesPerActivity,
};

/** How an execution of the workflow ended: to be continued, or to be closed. */
type Ended =
  | { readonly kind: "continue"; readonly input: PullInput }
  | ({ readonly kind: "close" } & Ending);

type Pulling = {
  readonly reads: Reads;
  readonly view: RunView;
  readonly input: PullInput;
};

const nothing: PullProgress = {
  read: 0,
  written: 0,
  unchanged: 0,
  missing: 0,
  rejected: 0,
  pages: 0,
  calls: 0,
};

function progressOf(runId: string, { pull, continued }: PullInput): Progress {
  return {
    run_id: runId,
    sync: pull,
    mode: null,
    mode_reason: null,
    counts: noCounts,
    pull: continued?.progress ?? nothing,
    waiting: null,
    report: null,
  };
}

/** What the run has done so far, as its details show it. */
function shown({ amounts, domains }: PulledPages): Pick<Progress, "pull"> {
  const { read, written, unchanged, missing, refused: rejected, pages, calls } = amounts;
  const { domainsDone: done, domainsRefused } = amounts;
  const ofDomains =
    domains === 0 ? {} : { domains: { listed: domains, done, refused: domainsRefused } };
  return { pull: { read, written, unchanged, missing, rejected, pages, calls, ...ofDomains } };
}

/** Opens the run, or continues the one of an earlier execution. */
async function open({ reads, view, input }: Pulling): Promise<OpenedPull> {
  const { continued, ...request } = input;
  if (continued !== undefined) return continued.opened;
  const { workflowId, firstExecutionRunId: firstRunId } = workflowInfo();
  const { run_id: runId } = view.progress;
  const { pull, full, limit } = request;
  return await openPull({
    pull,
    walks: reads,
    runId,
    workflowId,
    firstRunId,
    nominalAt: scheduledTime(),
    request: { full, limit },
  });
}

/** Pulls page after page until there is no more, or it is time to continue as new. */
async function pullMany({ reads, view, input }: Pulling, opened: OpenedPull): Promise<Ended> {
  const { settings, ...ref } = opened;
  const { stepsPerRun = Infinity } = settings;
  const activities = pullActivitiesOf(settings);
  const hooks = {
    // One call at a time.
    waiting: (_call: symbol, waiting: string | null) => {
      if (waiting !== view.progress.waiting) view.update({ waiting });
    },
    // Pages are in the store, so no host is waited for.
    isHostGone: async () => false,
    opened,
  };
  if (reads === "domains") {
    await retryWhileThrottled(async () => await activities.listDomains(ref), hooks);
  }
  const asked = { ...ref, pagesMax: pagesPerActivity[reads] };
  for (let steps = 1; ; steps++) {
    const summary = `after page ${view.progress.pull?.pages ?? 0}`;
    const pulled = await retryWhileThrottled(
      async () => await activities.pullPages.executeWithOptions({ summary }, [asked]),
      hooks,
    );
    view.update(shown(pulled));
    if (pulled.end !== null) return { kind: "close", closing: { outcome: "done" } };
    const { pull: progress, run_id } = view.progress;
    const isTime = workflowInfo().continueAsNewSuggested || steps >= stepsPerRun;
    if (isTime && progress !== undefined) {
      return { kind: "continue", input: { ...input, continued: { run_id, opened, progress } } };
    }
  }
}

async function execute(pulling: Pulling): Promise<Ended> {
  try {
    const opened = await open(pulling);
    if (opened.settings.searchAttribute) nameInSearch(pulling.input.pull);
    return await pullMany(pulling, opened);
  } catch (error) {
    return { kind: "close", ...endingOf(error) };
  }
}

/**
 * Runs a pull: opens it, pulls and writes page after page, and closes it with a report that balances. The next run
 * continues with everything left undone by a cancel or a lack of credits or calls.
 */
export async function runPull(reads: Reads, raw: unknown): Promise<RunReport> {
  const parsed = parsePullInput(raw, workflowInfo());
  if ("problem" in parsed) throw ApplicationFailure.nonRetryable(parsed.problem, "InvalidInput");
  const { input, runId } = parsed;
  const view = new RunView(progressOf(runId, input));
  const ended = await execute({ reads, view, input });
  if (ended.kind === "close") return await end(view, ended);
  const cancelled = await cancelledBeforeNext();
  if (cancelled !== undefined) return await end(view, cancelled);
  return await continueAsNew<(next: unknown) => Promise<RunReport>>(ended.input);
}

import { randomBytes } from "node:crypto";

import type { WorkflowHandle } from "@temporalio/client";

import { targetOf, type Config } from "../../config/config.ts";
import { BusyError, ConfigError } from "../../errors.ts";
import { isWorkflowOpen } from "../../local/connect.ts";
import { reportOfRun } from "../../report/of-run.ts";
import type { RunReport } from "../../report/report.ts";
import { openHold } from "../../state/contract/runs/holds.ts";
import type { LockHolder } from "../../state/contract/runs/locks.ts";
import type { StageCounts } from "../../state/contract/sends/stagings.ts";
import { sumOf } from "../../state/contract/sends/under-way.ts";
import type { Context, GlobalOptions } from "../output/context.ts";
import { exitCodeOfReport, exitCodes } from "../output/exit-code.ts";
import { onInterrupt } from "../output/interrupt.ts";
import { oneByOne } from "../output/one-by-one.ts";
import { firstRejects, reportText } from "../output/report-text.ts";
import {
  failureFrom,
  followRun,
  reportOfFailure,
  type ReadShare,
  type RunWorkflow,
} from "./follow.ts";
import { letNotificationLeave } from "./notification.ts";
import { openSession, type CliSession } from "./session.ts";

/** A run to start, or to continue with. */
export type Drive = {
  /** Name of the sync or pull. */
  readonly name: string;
  readonly kind: "pull" | "sync";
  /** Name of the lock that its runs hold. */
  readonly lock: string;
  /** What is being done with it, for messages: `sent`. */
  readonly doing: string;
  /** The command that continues with it. */
  readonly command: string;
  /** Type of its workflow. */
  readonly workflow: string;
  /** Input of its workflow. */
  readonly input: object;
  /** Options beyond the configuration. A run that was begun without them cannot be continued with. */
  readonly asked: readonly unknown[];
  /** Whether the run that holds the lock was asked for the same. @default only if nothing is asked for */
  readonly isSame?: (runId: string, session: CliSession) => Promise<boolean>;
  readonly shareOf: (session: CliSession) => ReadShare;
  /** Called once all that a run needs is there, before it begins. */
  readonly before?: (() => Promise<void>) | undefined;
};

/** How a run is shown. */
export type DriveOptions = GlobalOptions & { readonly wait: boolean };

/** The inputs of following a run. */
export type How = {
  readonly context: Context;
  readonly options: DriveOptions;
  readonly signal: AbortSignal;
  /** The command that continues with it if the worker was this command's own. @default the same command */
  readonly again?: string;
  /** Whether it sends anything; if not, the mode in which its records would travel is not shown. @default true */
  readonly isSent?: boolean;
};

/** How many open runs are looked at: a sync has a few at most. */
const openRunsMax = 1_000;

/**
 * The run to continue with: the one that holds the lock, or that waits for it. Nobody continues with a backfill, which
 * yields the lock to a run, or with a resend, which is over soon: a run begins, and its workflow waits for them.
 */
async function runToFollow(
  { client, state, config }: CliSession,
  { name, lock }: Drive,
): Promise<LockHolder | undefined> {
  const holder = await state.lockHolder(lock);
  if (holder === undefined) return undefined;
  if (holder.kind !== "backfill" && holder.kind !== "resend") {
    return (await isWorkflowOpen(client, holder)) ? holder : undefined;
  }
  const target = targetOf(config.api);
  const kinds = ["sync", "inbox", "replay"] as const;
  for (const run of await state.runs({ sync: name, kinds, isOpen: true, limit: openRunsMax })) {
    if (run.target === target && (await isWorkflowOpen(client, run))) return run;
  }
  return undefined;
}

/**
 * Starts the workflow, or continues with the one that holds the lock or is next.
 * @throws {BusyError} that is another run, and either a worker other than ours continues with it, or it was asked for
 * something else.
 */
async function startOrFollow(
  session: CliSession,
  drive: Drive,
  { context }: How,
): Promise<{ readonly handle: WorkflowHandle<RunWorkflow>; readonly isHeld: boolean }> {
  const { client, state, config } = session;
  const { name, kind, asked } = drive;
  const current = await runToFollow(session, drive);
  if (current !== undefined) {
    const { runId, workflowId } = current;
    const run = await state.run(runId);
    if (run !== undefined && openHold(run) !== undefined) {
      context.say(`run ${runId} is held: it waits for somebody's consent`);
      return { handle: client.workflow.getHandle<RunWorkflow>(workflowId), isHeld: true };
    }
    // A drain is more than the one run that holds the lock, so nobody waits for its end.
    if (session.hasOtherWorker || current.kind === "inbox") {
      const message = `${kind} ${name} is being ${drive.doing} by run ${runId} (workflow ${workflowId})`;
      throw new BusyError(message, { hint: `wait for it, or \`sluice cancel ${runId}\`` });
    }
    const isAsked = asked.some((option) => option !== undefined);
    if (isAsked && (await drive.isSame?.(runId, session)) !== true) {
      throw new BusyError(`run ${runId} of ${name} was interrupted and is not finished`, {
        hint: `\`${drive.command}\` without options continues with it, \`sluice cancel ${runId}\` ends it`,
      });
    }
    context.say(`continuing with run ${runId}, which was interrupted`);
    return { handle: client.workflow.getHandle<RunWorkflow>(workflowId), isHeld: false };
  }
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  const handle = await client.workflow.start<RunWorkflow>(drive.workflow, {
    taskQueue: config.temporal.taskQueue,
    workflowId: `${kind}-${name}-${stamp}-${randomBytes(2).toString("hex")}`,
    args: [drive.input],
    // It names its store, as the workflows of a schedule do.
    memo: { sluice_store: session.state.storeId },
  });
  context.say(`run of ${name} started: workflow ${handle.workflowId}`);
  return { handle, isHeld: false };
}

async function showReport(
  { state }: Pick<CliSession, "state">,
  report: RunReport,
  how: How,
): Promise<void> {
  const { context, options } = how;
  if (options.json) {
    context.print(JSON.stringify(report));
  } else {
    // The worker's target, not ours: its address of the service may be another one.
    const run = await state.run(report.run_id);
    const found =
      run === undefined
        ? undefined
        : await state.checkpoint({ target: run.target, sync: run.sync });
    const firsts = await firstRejects(state, report);
    // A later run may have moved it since.
    const position = found?.version === report.checkpoint.after ? found.position : undefined;
    context.print(reportText(report, { firsts, position }));
  }
  context.exit(exitCodeOfReport(report));
}

async function driveOne(session: CliSession, drive: Drive, how: How): Promise<void> {
  const { context, options } = how;
  const { handle, isHeld } = await startOrFollow(session, drive, how);
  if (!options.wait) {
    const { workflowId } = handle;
    const facts = { workflow_id: workflowId, held: isHeld || undefined };
    context.print(options.json ? JSON.stringify(facts) : workflowId);
    if (isHeld) context.exit(exitCodes.held);
    return;
  }
  await followToEnd(session, { handle, share: drive.shareOf(session) }, how);
}

/** The report of the newest run of a workflow. */
async function reportOfNewest(
  state: CliSession["state"],
  workflowId: string,
): Promise<RunReport | undefined> {
  const [run] = await state.runs({ workflowId, limit: 1 });
  return run === undefined ? undefined : await reportOfRun(state, run);
}

/** The parts of a session that following a run needs. */
type Follower = Pick<
  CliSession,
  "client" | "config" | "hasLastingWorker" | "hasOtherWorker" | "state"
>;

/** Follows a workflow until it ends or waits for a person's consent, and shows the report. */
export async function followToEnd(
  session: Follower,
  { handle, share }: { readonly handle: WorkflowHandle<RunWorkflow>; readonly share: ReadShare },
  how: How,
): Promise<void> {
  const { context } = how;
  const held = new AbortController();
  const shareOrHeld: ReadShare = async (progress) => {
    if (progress.held === undefined) return await share(progress);
    held.abort();
    return undefined;
  };
  const ahead = async (runId: string): Promise<StageCounts> =>
    sumOf((await session.state.openStagings({ runId })).filter(({ state }) => state === "staging"));
  const signal = AbortSignal.any([how.signal, held.signal]);
  const { isSent } = how;
  const followed = await followRun(handle, { context, share: shareOrHeld, ahead, signal, isSent });
  const waiting =
    followed === undefined && held.signal.aborted
      ? await reportOfNewest(session.state, handle.workflowId)
      : undefined;
  if (waiting !== undefined) {
    await showReport(session, waiting, how);
    await letNotificationLeave(session, waiting, how);
    return;
  }
  if (followed === undefined) {
    context.say(
      session.hasLastingWorker
        ? `interrupted; the run continues: workflow ${handle.workflowId}`
        : `interrupted; ${how.again ?? "the same command"} continues with it`,
    );
    context.exit(exitCodes.interrupted);
    return;
  }
  const report =
    "report" in followed ? followed.report : await reportAfter(followed.error, { session, handle });
  await showReport(session, report, how);
  await letNotificationLeave(session, report, how);
}

/**
 * The report of a run that did not end well: a failure carries it; for a cancelled run, the store keeps it.
 * @throws {SluiceError} the workflow ended before there was a run to report on.
 */
async function reportAfter(
  error: unknown,
  of: {
    readonly session: Pick<CliSession, "client" | "state">;
    readonly handle: WorkflowHandle<RunWorkflow>;
  },
): Promise<RunReport> {
  const carried = reportOfFailure(error);
  if (carried !== undefined) return carried;
  const { workflowId } = of.handle;
  const [run] = await of.session.state.runs({ workflowId, limit: 1 });
  if (run?.endedAt !== undefined && run.endedAt !== null)
    return await reportOfRun(of.session.state, run);
  throw await failureFrom(error, of.session.client);
}

/** Starts the runs one after the other and follows each to its end; names those that an interruption left out. */
export async function driveEach(
  session: CliSession,
  drives: readonly Drive[],
  how: How,
): Promise<void> {
  const { context, signal } = how;
  await oneByOne(drives, how, async (drive) => {
    if (signal.aborted) {
      context.say(`interrupted before the run of ${drive.name} began`);
      return context.exit(exitCodes.interrupted);
    }
    await drive.before?.();
    await driveOne(session, drive, how);
  });
}

/** Opens a session, and drives the runs in it. */
export async function driveRun(
  context: Context,
  config: Config,
  of: { readonly drives: readonly Drive[]; readonly options: DriveOptions },
): Promise<void> {
  const { drives, options } = of;
  const interrupted = onInterrupt();
  const session = await openSession(config, context, {
    signal: interrupted.signal,
    wanted: drives,
    command: drives[0]?.kind === "pull" ? "pull" : "run",
  });
  if (session === undefined) {
    context.say("interrupted before the run began");
    return context.exit(exitCodes.interrupted);
  }
  try {
    if (!options.wait && !session.hasLastingWorker) {
      throw new ConfigError("--no-wait needs a Temporal and a worker that stay", {
        hint: "start them with `sluice dev`, or set TEMPORAL_ADDRESS",
      });
    }
    await driveEach(session, drives, { context, options, signal: interrupted.signal });
  } finally {
    await session.close();
  }
}

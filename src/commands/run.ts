import { randomBytes } from "node:crypto";

import type { WorkflowHandle } from "@temporalio/client";
import { InvalidArgumentError, Option } from "commander";

import { askOf, checkColumns, connectorOf } from "../../activities/source.ts";
import { sources } from "../../connectors/registry.ts";
import type { sync as syncWorkflow } from "../../workflows/sync.ts";
import { targetOf, type Config, type SyncConfig } from "../config/config.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { BusyError, ConfigError } from "../errors.ts";
import { isWorkflowOpen } from "../local/connect.ts";
import type { RunReport } from "../report.ts";
import { sendLock } from "../state/locks.ts";
import { modes } from "../state/runs.ts";
import { configOf, withGlobals } from "./context.ts";
import type { Context, GlobalOptions, Register } from "./context.ts";
import { exitCodeOfReport, exitCodes } from "./exit-code.ts";
import { failureOf, followRun, reportOfFailure, type ReadShare } from "./follow.ts";
import { onInterrupt } from "./interrupt.ts";
import { reportOfRun } from "./report-of-run.ts";
import { reportText } from "./report-text.ts";
import { openSession, type Session } from "./session.ts";

type RunOptions = GlobalOptions & {
  readonly mode?: (typeof modes)[number];
  readonly full?: boolean;
  readonly limit?: number;
  readonly dryRun?: boolean;
  readonly wait: boolean;
};

/** The sync of that name. @throws {ConfigError} there is none; says which there are. */
export function syncNamed(config: Config, name: string): SyncConfig {
  const found = config.syncs.get(name);
  if (found !== undefined) return found;
  const names = [...config.syncs.keys()];
  throw new ConfigError(`there is no sync "${name}" in ${config.file}${didYouMean(name, names)}`, {
    hint:
      names.length === 0 ? "configure one under `syncs:`" : `the syncs are: ${names.join(", ")}`,
  });
}

/** Reads a count from the command line. @throws {InvalidArgumentError} it is not a whole number above 0. */
export function positive(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new InvalidArgumentError("must be a whole number above 0");
  return Number(text);
}

/** How far a run has read, from what the source says is left. */
function readShare(session: Session, sync: SyncConfig): ReadShare {
  const source = sources.get(sync.connector);
  const measure = async (from: unknown): Promise<number | undefined> => {
    const ask = askOf(sync, AbortSignal.timeout(5_000));
    const { bytes, rows } = (await source?.measure?.({ ...ask, from: from ?? undefined })) ?? {};
    return rows ?? bytes;
  };
  let total: Promise<number | undefined> | undefined;
  return async ({ run_id: runId, counts }) => {
    if (source?.measure === undefined || counts.staged_chunks === 0) return undefined;
    try {
      const run = await session.state.run(runId);
      total ??= measure(run?.fromPosition);
      const whole = await total;
      const chunk = counts.staged_chunks;
      const staged = await session.state.send({ runId, chunk, stage: 1 });
      const left = await measure(staged?.to);
      if (whole === undefined || left === undefined || whole === 0) return undefined;
      return Math.min(1, Math.max(0, 1 - left / whole));
    } catch {
      return undefined; // a source that cannot be measured now is no reason to stop following
    }
  };
}

/** Newest runs among which the one of a workflow is looked for. */
const runsLookedThrough = 20;

/** How long a source may take to say which columns it has. */
const sourceMsMax = 60_000;

type Followable = { readonly handle: WorkflowHandle<typeof syncWorkflow>; readonly isNew: boolean };

/**
 * Starts the workflow, or goes on with the one that holds the sync.
 * @throws {BusyError} another run holds it, and a worker other than ours goes on with it.
 */
async function startOrFollow(
  session: Session,
  sync: SyncConfig,
  how: { readonly options: RunOptions; readonly context: Context },
): Promise<Followable> {
  const { client, state, config } = session;
  const holder = await state.lockHolder(sendLock(targetOf(config.api), sync.name));
  if (holder !== undefined && (await isWorkflowOpen(client, holder))) {
    const { runId, workflowId } = holder;
    if (session.hasOtherWorker) {
      throw new BusyError(
        `sync ${sync.name} is being sent by run ${runId} (workflow ${workflowId})`,
        {
          hint: `wait for it, or \`sluice cancel ${runId}\``,
        },
      );
    }
    const { mode, full, limit, dryRun } = how.options;
    if ([mode, full, limit, dryRun].some((option) => option !== undefined)) {
      throw new BusyError(`run ${runId} of ${sync.name} was interrupted and is not finished`, {
        hint: `\`sluice run ${sync.name}\` without options goes on with it, \`sluice cancel ${runId}\` ends it`,
      });
    }
    how.context.say(`going on with run ${runId}, which was interrupted`);
    return { handle: client.workflow.getHandle<typeof syncWorkflow>(workflowId), isNew: false };
  }
  const { mode, full, limit, dryRun } = how.options;
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  const handle = await client.workflow.start<typeof syncWorkflow>("sync", {
    taskQueue: config.temporal.taskQueue,
    workflowId: `sync-${sync.name}-${stamp}-${randomBytes(2).toString("hex")}`,
    args: [{ sync: sync.name, mode, full, limit, dry_run: dryRun }],
  });
  how.context.say(`run of ${sync.name} started: workflow ${handle.workflowId}`);
  return { handle, isNew: true };
}

async function showReport(session: Session, report: RunReport, how: RunHow): Promise<void> {
  const { context, options } = how;
  if (options.json) {
    context.print(JSON.stringify(report));
  } else {
    // The worker's target, not ours: its address of the service may be another than the one we were given.
    const run = await session.state.run(report.run_id);
    const found =
      run === undefined
        ? undefined
        : await session.state.checkpoint({ target: run.target, sync: run.sync });
    context.print(reportText(report, found?.position));
  }
  context.exit(exitCodeOfReport(report));
}

type RunHow = {
  readonly context: Context;
  readonly options: RunOptions;
  readonly signal: AbortSignal;
};

async function followToEnd(session: Session, sync: SyncConfig, how: RunHow): Promise<void> {
  const { context, options } = how;
  const { handle } = await startOrFollow(session, sync, how);
  if (!options.wait) {
    context.print(
      options.json ? JSON.stringify({ workflow_id: handle.workflowId }) : handle.workflowId,
    );
    return;
  }
  const share = readShare(session, sync);
  const followed = await followRun(handle, { context, share, signal: how.signal });
  if (followed === undefined) {
    context.say(
      session.hasOtherWorker
        ? `interrupted; the run goes on: workflow ${handle.workflowId}`
        : "interrupted; the same command goes on with it",
    );
    context.exit(exitCodes.interrupted);
    return;
  }
  const report =
    "report" in followed ? followed.report : await reportAfter(followed.error, { session, handle });
  if (report !== undefined) await showReport(session, report, how);
}

/**
 * The report of a run that did not end well: a failure carries it, of a cancelled run the store keeps it.
 * @throws {SluiceError} the workflow ended before there was a run to report on.
 */
async function reportAfter(
  error: unknown,
  of: { readonly session: Session; readonly handle: WorkflowHandle<typeof syncWorkflow> },
): Promise<RunReport> {
  const carried = reportOfFailure(error);
  if (carried !== undefined) return carried;
  const runs = await of.session.state.runs({ limit: runsLookedThrough });
  const run = runs.find(({ workflowId }) => workflowId === of.handle.workflowId);
  if (run?.endedAt !== undefined && run.endedAt !== null)
    return await reportOfRun(of.session.state, run);
  throw failureOf(error);
}

/** `sluice run <sync>`. */
export const registerRun: Register = (program, context) => {
  withGlobals(program.command("run <sync>"))
    .description("transfer a sync now and follow it to its end")
    .addOption(new Option("--mode <mode>", "how records are sent").choices(modes))
    .option("--full", "send every row, whatever was sent before")
    .option("--limit <rows>", "read at most this many rows", positive)
    .option("--dry-run", "do everything but send")
    .option("--no-wait", "start it and print the workflow's id")
    .action(async (name: string, options: RunOptions) => {
      const config = await configOf(context, options);
      const sync = syncNamed(config, name);
      // Before anything is started: what is wrong with the source is said at once.
      const signal = AbortSignal.timeout(sourceMsMax);
      await checkColumns(connectorOf({ sources }, sync.connector), sync, { signal, mayName: true });
      const interrupted = onInterrupt();
      const session = await openSession(config, context, interrupted.signal).catch(
        (error: unknown) => {
          if (!interrupted.signal.aborted) throw error;
          context.say("interrupted before the run began");
          context.exit(exitCodes.interrupted);
          return undefined;
        },
      );
      if (session === undefined) return;
      try {
        if (!options.wait && !session.hasOtherWorker) {
          throw new ConfigError("--no-wait needs a Temporal and a worker that stay", {
            hint: "start them with `sluice dev`, or set TEMPORAL_ADDRESS",
          });
        }
        await followToEnd(session, sync, { context, options, signal: interrupted.signal });
      } finally {
        await session.close();
      }
    });
};

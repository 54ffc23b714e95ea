import { checkColumns, checkWriteBack, connectorOf } from "../../../connectors/source.ts";
import { systemClock } from "../../clock.ts";
import { type Config, type SyncConfig, targetOf } from "../../config/config.ts";
import { pullsInto } from "../../config/feedback-loop.ts";
import type { PullConfig } from "../../config/schema/pull.ts";
import { ConfigError } from "../../errors.ts";
import { sendLock } from "../../state/contract/runs/locks.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import type { StateStore } from "../../state/state-store.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import { sourceMsMax } from "../limits.ts";
import { syncNamed } from "../named.ts";
import { configOf, withGlobals } from "../output/context.ts";
import type { Context, GlobalOptions, Register } from "../output/context.ts";
import { exitCodes } from "../output/exit-code.ts";
import { positive } from "../positive.ts";
import { withStateThere } from "../run/mapped-rows.ts";
import { waitingSourcesOf } from "../running/wait-for-source.ts";
import { deployedOf } from "./deployed.ts";
import { planLines, planReport, type PlanReport } from "./plan-report.ts";
import { plannedHold } from "./planned-hold.ts";
import { pullPlanLines } from "./pull-plan-text.ts";
import { planPull, type PlannedPull, type PullPlan } from "./pull-plan.ts";
import { type PlanSource, readPlan } from "./read-plan.ts";

type PlanOptions = GlobalOptions & { readonly sample?: number };

/**
 * 1 if the run would fail; 5 if something would be sent to the service, or the run be held; otherwise 3 if rows would
 * be rejected.
 */
function exitCodeOf({ counts, stops }: PlanReport): number {
  if (stops === "failed") return exitCodes.failed;
  if (counts.would_send > 0 || stops === "held") return exitCodes.held;
  return counts.rejected > 0 ? exitCodes.doneWithRejects : exitCodes.done;
}

/** A plan stores nothing. */
const onlyReads = { onlyReads: true };

/** What the next run of a pull costs. */
async function costOf(
  config: Config,
  pull: PullConfig,
  { state, sources }: Pick<PlannedPull, "sources" | "state">,
): Promise<PullPlan> {
  const { api } = config;
  const { signal } = new AbortController();
  const of = { pull, target: targetOf(api), sources, state, signal };
  return await planPull({ ...of, requestsPerSecond: api.requestsPerSecond });
}

function print(
  context: Context,
  { json }: PlanOptions,
  { report, lines }: { readonly report: object; readonly lines: readonly string[] },
): void {
  if (json === true) context.print(plainJson(report));
  else for (const line of lines) context.print(plainText(line));
}

async function planOfPull(
  context: Context,
  config: Config,
  { pull, options }: { readonly pull: PullConfig; readonly options: PlanOptions },
): Promise<void> {
  if (options.sample !== undefined) {
    throw new ConfigError(`--sample reads rows of a sync, and ${pull.name} is a pull`);
  }
  // As its run does, so that a missing table is reported before anything is paid for.
  const sources = waitingSourcesOf(config, context);
  await checkWriteBack({ sources }, pull, AbortSignal.timeout(sourceMsMax));
  const report = await withStateThere(
    config,
    async (state) => await costOf(config, pull, { state, sources }),
    onlyReads,
  );
  print(context, options, { report, lines: pullPlanLines(report) });
  context.exit(report.calls.expected === 0 ? exitCodes.done : exitCodes.held);
}

/** The run of a sync that sends now, or is held. */
async function openRunOf(
  state: StateStore | undefined,
  { target, sync }: { readonly target: string; readonly sync: SyncConfig },
): Promise<Run | undefined> {
  const holder = await state?.lockHolder(sendLock(target, sync.name));
  const run = holder && (await state?.run(holder.runId));
  return run === undefined || run.endedAt !== null ? undefined : run;
}

/**
 * How many records in doubt the next run sends before it reads: a source that each run reads anew brings them itself,
 * and a run over some rows alone sends none.
 */
async function dueOf(
  state: StateStore | undefined,
  { source, sync, target }: Pick<PlanSource, "source" | "sync" | "target">,
  sample: number | undefined,
): Promise<number> {
  const isReadAnew = source.restart?.(sync.connectorConfig) === "each-run";
  if (state === undefined || isReadAnew || sample !== undefined) return 0;
  const { due } = await state.doubtFacts({ target, sync: sync.name, now: systemClock()() });
  return due;
}

async function planOfSync(
  context: Context,
  config: Config,
  { sync, options }: { readonly sync: SyncConfig; readonly options: PlanOptions },
): Promise<void> {
  const sources = waitingSourcesOf(config, context);
  const source = connectorOf({ sources }, sync.connector);
  const { signal } = new AbortController();
  await checkColumns(source, sync, { signal, mayName: true });
  const { sample } = options;
  const target = targetOf(config.api);
  const report = await withStateThere(
    config,
    async (state) => {
      const now = state?.now() ?? Date.now();
      const read = await readPlan({ sync, source, target, state, now, signal }, sample);
      const deployed = await deployedOf(state, { sync, target });
      const pulls: PullPlan[] = [];
      for (const { pull } of pullsInto(sync, config.pulls)) {
        const into = config.pulls.get(pull);
        if (into !== undefined) pulls.push(await costOf(config, into, { state, sources }));
      }
      const open = await openRunOf(state, { target, sync });
      const due = await dueOf(state, { source, sync, target }, sample);
      // What an open run has staged counts as unknown until it has ended.
      const isHoldKnown = sample === undefined && open === undefined;
      const broken = isHoldKnown ? await plannedHold(state, { sync, target }, read) : [];
      const isWhole = sample === undefined && source.push === undefined;
      return planReport(config, sync, {
        deployed,
        read,
        sample,
        isWhole,
        broken,
        pulls,
        open,
        due,
      });
    },
    onlyReads,
  );
  print(context, options, { report, lines: planLines(report) });
  context.exit(exitCodeOf(report));
}

/** `sluice plan <sync>`, also for a pull. */
export const registerPlan: Register = (program, context) => {
  withGlobals(program.command("plan <sync>"))
    .summary("what the next run would send, and why; sends nothing")
    .description(
      "read what the next run of a sync would read, and say what it would send, why, and what that costs; for a " +
        "pull, " +
        "which calls it would make, each of which costs credits; nothing is sent, asked or stored; exit code 5 where " +
        "something would be sent, the run held or a call made; 1 where the run would fail",
    )
    .option("--sample <rows>", "read so many rows, not all", positive)
    .action(async (name: string, options: PlanOptions) => {
      const config = await configOf(context, options);
      const pull = config.pulls.get(name);
      if (pull !== undefined) await planOfPull(context, config, { pull, options });
      else await planOfSync(context, config, { sync: syncNamed(config, name), options });
    });
};

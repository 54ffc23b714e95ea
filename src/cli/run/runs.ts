import { join } from "node:path";

import type { Config } from "../../config/config.ts";
import { didYouMean } from "../../config/messages/did-you-mean.ts";
import { ConfigError } from "../../errors.ts";
import { countsSoFar } from "../../report/counts.ts";
import { reportOfRun } from "../../report/of-run.ts";
import type { RunReport } from "../../report/report.ts";
import type { OpenRejectsOf } from "../../state/contract/rejects/open-rejects.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import type { StateStore } from "../../state/state-store.ts";
import { outcomeText } from "../../text/outcome-text.ts";
import { plainJson } from "../../text/plain-text.ts";
import { counted, grouped } from "../../text/quantities.ts";
import { configOf, readState, withGlobals, withState } from "../output/context.ts";
import type { GlobalOptions, Register } from "../output/context.ts";
import { firstRejects, reportText } from "../output/report-text.ts";
import { styledOutcome } from "../output/style.ts";
import { table } from "../output/table.ts";
import { positive } from "../positive.ts";
import { type PastTime, since } from "../since.ts";
import { heldNow } from "../status/look.ts";
import { heldSample, sampleLine } from "./held-sample.ts";
import { noRun } from "./run-named.ts";

/** The run of that id, or the newest (of a sync or pull) when none is named. @throws {ConfigError} there is none. */
async function runNamed(
  state: StateStore,
  named: { readonly run?: string | undefined; readonly sync?: string | undefined },
): Promise<Run> {
  const { run, sync } = named;
  const found =
    run === undefined ? (await state.runs({ sync, limit: 1 }))[0] : await state.run(run);
  if (found !== undefined) return found;
  if (run !== undefined) throw noRun(run);
  throw sync === undefined
    ? new ConfigError("there is no run yet", { hint: "`sluice run` makes the first" })
    : new ConfigError(`there is no run of ${sync} yet`, {
        hint: `\`sluice run ${sync}\` makes the first, or for a pull \`sluice pull ${sync}\``,
      });
}

/** The run that a chain of replays began with: a reject of a replay leads to the run that was replayed. */
async function originOf(state: StateStore, run: Run): Promise<Run> {
  const of = run.request.replay === undefined ? undefined : await state.run(run.request.replay.run);
  return of === undefined ? run : await originOf(state, of);
}

/**
 * The run whose rejects are meant. An inbox is sent by runs that follow each other every second: of those, the newest
 * with open rejects, otherwise the newest with any.
 * @throws {ConfigError} as for `runNamed`.
 */
export async function runOfRejects(
  state: StateStore,
  named: OpenRejectsOf & { readonly run?: string | undefined },
): Promise<Run> {
  const newest = await runNamed(state, named);
  if (named.run !== undefined || (await originOf(state, newest)).kind !== "inbox") return newest;
  const { target, sync, code } = named;
  const [withOpen] = await state.runsWithOpenRejects({ target, sync, code, limit: 1 });
  if (withOpen !== undefined) return await runNamed(state, { run: withOpen.runId });
  const [rejecting] = await state.runs({ sync, outcomes: ["done_with_rejects"], limit: 1 });
  return rejecting ?? newest;
}

function rowOf(report: RunReport): string[] {
  const { read = 0, sent = 0, unchanged = 0, rejected = 0 } = countsSoFar(report);
  return [
    report.run_id,
    outcomeText(report.outcome),
    report.mode ?? "",
    ...[read, report.pull?.written ?? sent, unchanged, rejected].map(grouped),
  ];
}

type ListOptions = GlobalOptions & {
  readonly sync?: string;
  readonly failed?: boolean;
  readonly since?: PastTime;
  readonly limit: number;
};

/** Outcomes that `--failed` lists. */
const failedOutcomes = ["failed", "abandoned", "credits_exhausted"] as const;

/** The requested runs, newest first. */
async function runsAsked(
  state: StateStore,
  { sync, failed, since: begun, limit }: ListOptions,
): Promise<readonly Run[]> {
  const from = begun?.(state.now()) ?? "";
  const outcomes = failed === true ? failedOutcomes : undefined;
  const newest = await state.runs({ sync, outcomes, limit });
  return newest.filter(({ startedAt }) => startedAt >= from);
}

/** What to say if no run matches. */
function noRuns({ sync, failed, since: from }: ListOptions): string {
  const of = sync === undefined ? "" : ` of ${sync}`;
  if (failed === true || from !== undefined) return `there are no such runs${of}`;
  return `there are no runs${of} yet`;
}

/** @throws {ConfigError} nothing of that name is configured, or ever ran; the message lists the names there are. */
export async function assertKnownName(
  state: Pick<StateStore, "runs">,
  { syncs, pulls, file }: Config,
  name: string | undefined,
): Promise<void> {
  if (name === undefined || syncs.has(name) || pulls.has(name)) return;
  if ((await state.runs({ sync: name, limit: 1 })).length > 0) return;
  const names = [...syncs.keys(), ...pulls.keys()];
  const text = `there is no sync or pull "${name}" in ${file}${didYouMean(name, names)}`;
  throw new ConfigError(text, { hint: `there are: ${names.join(", ")}` });
}

type PruneOptions = GlobalOptions & {
  readonly olderThan: PastTime;
};

type ShowOptions = GlobalOptions & { readonly sample?: boolean };

/** `sluice runs show`. */
const registerShow: Register = (runs, context) => {
  withGlobals(runs.command("show [run]"))
    .description("the report of a run, by default of the newest")
    .option("--sample", "print some records that a held run would send: personal data")
    .action(async (runId: string | undefined, options: ShowOptions) => {
      const config = await configOf(context, options);
      await readState(config, async (state) => {
        const run = await runNamed(state, { run: runId });
        if (options.sample === true) {
          const stagingFolder = join(config.stateFolder, "staging");
          for await (const one of heldSample(state, { run, stagingFolder })) {
            context.print(options.json === true ? plainJson(one) : sampleLine(one));
          }
          return;
        }
        if (options.json === true) return context.print(plainJson(await reportOfRun(state, run)));
        const { run: now, not } = await heldNow({ state, config, context }, run);
        const report = await reportOfRun(state, now);
        const firsts = await firstRejects(state, report);
        context.print(reportText(report, { firsts, not }));
      });
    });
};

/** `sluice runs list|show|prune`. */
export const registerRuns: Register = (program, context) => {
  const runs = program.command("runs").description("what was run, and how it ended");
  withGlobals(runs.command("list"), "lines")
    .description("runs, newest first")
    .option("--sync <name>", "those of one sync or pull")
    .option("--failed", "those that failed, were abandoned, or ran out of credits")
    .option("--since <time>", "those begun since then: 7d, 12h, 2026-11-20", since)
    .option("-n, --limit <runs>", "how many", positive, 20)
    .action(async (options: ListOptions) => {
      const config = await configOf(context, options);
      await readState(config, async (state) => {
        await assertKnownName(state, config, options.sync);
        const found = await runsAsked(state, options);
        const reports = await Promise.all(found.map(async (run) => await reportOfRun(state, run)));
        const heading = [
          "run",
          "outcome",
          "mode",
          "read",
          "sent or written",
          "unchanged",
          "rejected",
        ];
        if (found.length === 0 && !options.json) context.say(noRuns(options));
        else if (!options.json) {
          context.print(
            table([heading, ...reports.map(rowOf)], { style: { outcome: styledOutcome } }),
          );
        } else for (const report of reports) context.print(plainJson(report));
      });
    });
  registerShow(runs, context);
  withGlobals(runs.command("prune"))
    .description("remove old ended runs with their receipts and rejects")
    .requiredOption("--older-than <time>", "those begun before then: 90d, 2026-08-31", since)
    .action(async (options: PruneOptions) => {
      const config = await configOf(context, options);
      const removed = await withState(
        config,
        async (state) => await state.pruneRuns({ before: options.olderThan(state.now()) }),
      );
      context.print(
        options.json ? JSON.stringify({ removed }) : `removed ${counted(removed, "run")}`,
      );
    });
};

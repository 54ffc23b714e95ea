import { Option } from "commander";

import { sourcesOf } from "../../../connectors/registry.ts";
import { checkColumns, connectorOf } from "../../../connectors/source.ts";
import type { Config, SyncConfig } from "../../config/config.ts";
import { ConfigError } from "../../errors.ts";
import { reportOfRun } from "../../report/of-run.ts";
import type { RunReport } from "../../report/report.ts";
import { modes } from "../../state/contract/runs/runs.ts";
import { plainJson } from "../../text/plain-text.ts";
import { sourceMsMax } from "../limits.ts";
import { syncNamed } from "../named.ts";
import { configOf, storeNow, withGlobals, withState } from "../output/context.ts";
import type { Context, GlobalOptions, Register } from "../output/context.ts";
import { exitCodeOfReport, exitCodes } from "../output/exit-code.ts";
import { onInterrupt } from "../output/interrupt.ts";
import { firstRejects, reportText, type KnownHere } from "../output/report-text.ts";
import { positive } from "../positive.ts";
import { repeated } from "../repeated.ts";
import type { Drive } from "../running/drive.ts";
import { failureOf, reportOfFailure } from "../running/follow.ts";
import { letNotificationLeave } from "../running/notification.ts";
import { openSession, type CliSession } from "../running/session.ts";
import { begin, refuseAnother, type Begun, type WantedBackfill } from "./begin.ts";
import { talkWith, type Talk, type Talked } from "./follow-backfill.ts";
import { askedNames, inOptions, isMoreAsked, readOptions, type AskedOptions } from "./input.ts";
import { formLink } from "./link.ts";
import { backfillNamed } from "./named-backfill.ts";
import { samplesFacts, samplesText } from "./text.ts";

type BackfillOptions = GlobalOptions &
  AskedOptions & {
    readonly yes?: boolean;
    readonly follow?: string;
    readonly show?: string;
    readonly link?: boolean;
    readonly ui?: string;
  };

/** The report of a backfill that ended. @throws {SluiceError} it ended before there was a run to report on. */
async function reportOf(
  { state }: CliSession,
  { handle, firstRunId }: Begun,
  end: NonNullable<Talked["end"]>,
): Promise<RunReport> {
  if ("report" in end) return end.report;
  const carried = reportOfFailure(end.error);
  if (carried !== undefined) return carried;
  const [run] = await state.runs({ workflowId: handle.workflowId, limit: 1 });
  if (run?.firstRunId === firstRunId && run.endedAt !== null) return await reportOfRun(state, run);
  const failure = failureOf(end.error);
  failure.message = inOptions(failure.message);
  throw failure;
}

/** The error for a backfill that sent nothing because nobody could be asked. */
function unasked({ isOurs, handle: { workflowId } }: Begun, name: string): ConfigError {
  return isOurs
    ? new ConfigError(
        `nothing was sent: without a terminal to ask at, a backfill of ${name} needs --yes`,
        { hint: "look at the plan, then the same command with --yes" },
      )
    : new ConfigError(`nothing is sent yet: workflow ${workflowId} waits for somebody's consent`, {
        hint:
          `\`sluice backfill --follow ${workflowId} --yes\` approves it, or the update \`approve\` ` +
          `in the Web UI; \`sluice cancel ${workflowId}\` ends it`,
      });
}

/** How a backfill ended, with what this process knows about it. */
type Ended = Pick<KnownHere, "firsts"> & {
  readonly report: RunReport;
  readonly plan?: Talked["plan"];
};

function showEnd({ report, plan, firsts }: Ended, { context, options }: Talk): void {
  if (options.json)
    context.print(JSON.stringify({ workflow_id: report.workflow_id, plan: plan ?? null, report }));
  else if (report.outcome === "discarded") context.say("discarded: nothing was sent");
  else context.print(inOptions(reportText(report, { firsts })));
}

async function followToEnd(session: CliSession, wanted: WantedBackfill, talk: Talk): Promise<void> {
  const { context, options, interrupted } = talk;
  const begun = await begin(session, wanted, context);
  const { workflowId } = begun.handle;
  const { plan, answer, end } = await talkWith(begun, talk);
  const name = plan?.sync ?? workflowId;
  if (end === undefined) {
    if (options.json === true && plan !== undefined)
      context.print(JSON.stringify({ workflow_id: workflowId, plan, report: null }));
    if (answer === "unasked") throw unasked(begun, name);
    if (answer === "leave") {
      context.say(`it waits for somebody's consent: workflow ${workflowId}`);
      return context.exit(exitCodes.failed);
    }
    context.say(
      session.hasLastingWorker
        ? `interrupted; the backfill continues: workflow ${workflowId}`
        : `interrupted; \`sluice backfill ${name}\` continues with it`,
    );
    return context.exit(exitCodes.interrupted);
  }
  const report = await reportOf(session, begun, end);
  showEnd({ report, plan, firsts: await firstRejects(session.state, report) }, talk);
  context.exit(exitCodeOfReport(report));
  await letNotificationLeave(session, report, { context, signal: interrupted.signal });
  if (answer === "unasked" && report.outcome === "discarded") throw unasked(begun, name);
}

/** Opens a session and follows a backfill to its end. */
async function drive(
  context: Context,
  config: Config,
  of: {
    readonly wanted: WantedBackfill;
    readonly options: BackfillOptions;
    readonly before?: Drive["before"];
  },
): Promise<void> {
  const { wanted, options, before } = of;
  const interrupted = onInterrupt();
  const { signal } = interrupted;
  const syncs = "input" in wanted ? [{ kind: "sync", name: wanted.input.sync } as const] : [];
  const how = { signal, wanted: syncs, command: "backfill" } as const;
  const session = await openSession(config, context, how);
  if (session === undefined) {
    context.say("interrupted before the backfill began");
    return context.exit(exitCodes.interrupted);
  }
  try {
    if (before !== undefined) {
      await refuseAnother(session, wanted);
      await before();
    }
    await followToEnd(session, wanted, { context, options, interrupted });
  } finally {
    await session.close();
  }
}

/** `--follow`: follows a backfill that continues, or shows the report of one that ended. */
async function follow(
  context: Context,
  config: Config,
  { named, options }: { readonly named: string; readonly options: BackfillOptions },
): Promise<void> {
  const found = await withState(config, async (state) => {
    // A backfill that was started a moment ago, in the Web UI, has no run yet.
    const run = await backfillNamed(state, named).catch((error: unknown) => {
      if (named.startsWith("backfill-") && error instanceof ConfigError) return undefined;
      throw error;
    });
    if (run === undefined || run.runId !== named || run.outcome === null) return run?.workflowId;
    const report = await reportOfRun(state, run);
    return { report, firsts: await firstRejects(state, report) };
  });
  if (typeof found !== "object") {
    return await drive(context, config, { wanted: { workflowId: found ?? named }, options });
  }
  showEnd(found, { context, options, interrupted: new AbortController() });
  context.exit(exitCodeOfReport(found.report));
}

/** `--show`: prints to stdout only, because it is personal data. */
async function show(
  context: Context,
  config: Config,
  { named, json }: { readonly named: string; readonly json: boolean | undefined },
): Promise<void> {
  await withState(config, async (state) => {
    const { runId, workflowId, sync } = await backfillNamed(state, named);
    const stored = await state.plan(runId);
    if (stored === undefined) {
      throw new ConfigError(`backfill ${runId} has no plan`, {
        hint: `\`sluice backfill ${sync}\` makes one`,
      });
    }
    if (json !== true) return context.print(samplesText(stored));
    const { plan } = stored;
    const facts = { run_id: runId, workflow_id: workflowId, plan, samples: samplesFacts(stored) };
    context.print(plainJson(facts));
  });
}

/** Reads all of a source and sends what the service is not known to hold, without asking. */
export async function backfillWhole(
  context: Context,
  config: Config,
  of: {
    readonly sync: SyncConfig;
    readonly options: GlobalOptions;
    readonly before: Drive["before"];
  },
): Promise<void> {
  const { sync, options, before } = of;
  const asked = { ...options, yes: true };
  const input = readOptions(config, sync.name, { ...asked, now: await storeNow(config) });
  await drive(context, config, { wanted: { input, isMoreAsked: true }, options: asked, before });
}

async function backfill(
  context: Context,
  name: string | undefined,
  options: BackfillOptions,
): Promise<void> {
  const config = await configOf(context, options);
  const { show: shown, follow: followed, json } = options;
  if (shown !== undefined) return await show(context, config, { named: shown, json });
  if (followed !== undefined) return await follow(context, config, { named: followed, options });
  const sync = syncNamed(config, name);
  if (options.link === true) {
    const { url, remark } = formLink(context, config, { sync: sync.name, ui: options.ui });
    context.print(json ? JSON.stringify({ url }) : url);
    if (remark !== undefined && json !== true) context.say(remark);
    return;
  }
  const input = readOptions(config, sync.name, { ...options, now: await storeNow(config) });
  // Before anything is started, so that a fault of the source is reported at once.
  const signal = AbortSignal.timeout(sourceMsMax);
  const source = connectorOf({ sources: sourcesOf(config) }, sync.connector);
  await checkColumns(source, sync, { signal, mayName: true });
  const wanted = { input, isMoreAsked: isMoreAsked(options) };
  await drive(context, config, { wanted, options });
}

/** `sluice backfill <sync>`. */
export const registerBackfill: Register = (program, context) => {
  withGlobals(program.command("backfill [sync]"))
    .description("send a span of a sync again: shows the plan, asks, and follows it to its end")
    .option("--from <when>", "a date, a time, `last 30 days`, or a place such as `line 48211`")
    .option("--to <when>", "the same, exclusive")
    .option("--key <key>", "the row of this key alone; may be repeated", repeated)
    .addOption(new Option("--mode <mode>", "how records are sent").choices(modes))
    .option("-n, --limit <rows>", "read at most this many rows", positive)
    .option("--lanes <lanes>", "how many lanes it is cut into", positive)
    .addOption(
      new Option("--send <what>", "all, or what the service is not known to hold").choices([
        "all",
        "changed",
      ]),
    )
    .option("--reason <text>", "why, for those who look at it later")
    .option(
      "--time-zone <zone>",
      "the zone for times without one; by default that of the sync's schedule",
    )
    .option(
      "--advance-checkpoint",
      "for a sync that never ran: let the nightly run continue where this ends",
    )
    .option("--yes", "send it without asking")
    .addOption(
      new Option(
        "--follow <run>",
        "continue with one that was begun: its run or workflow",
      ).conflicts([...askedNames, "show", "link"]),
    )
    .addOption(
      new Option("--show <run>", "print sample records of its plan: personal data").conflicts([
        ...askedNames,
        "link",
        "yes",
      ]),
    )
    .addOption(
      new Option("--link", "print a link to the start form of the Web UI").conflicts([
        ...askedNames,
        "yes",
      ]),
    )
    .option("--ui <address>", "for --link: where the Web UI is, such as https://temporal.example")
    .action(async (name: string | undefined, options: BackfillOptions) => {
      await backfill(context, name, options);
    });
};

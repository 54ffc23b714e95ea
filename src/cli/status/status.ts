import { sourcesOf } from "../../../connectors/registry.ts";
import { systemClock } from "../../clock.ts";
import { targetOf, type Config } from "../../config/config.ts";
import { reportCounts } from "../../report/counts.ts";
import { reportOfRun } from "../../report/of-run.ts";
import { lookForOlderMapping } from "../../report/older-mapping.ts";
import type { RunReport } from "../../report/report.ts";
import { zonedText } from "../../schedules/local-time.ts";
import { isBlocking, isRefusedKey, keyName } from "../../service/key-limits.ts";
import type { RateLimit } from "../../state/contract/rate-limit.ts";
import type { StateStore } from "../../state/state-store.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import { grouped } from "../../text/quantities.ts";
import { configOf, readState, withGlobals } from "../output/context.ts";
import type { Context, GlobalOptions, Register } from "../output/context.ts";
import { styledOutcome } from "../output/style.ts";
import { advisingTable } from "../output/table.ts";
import { askTemporal, type Silent } from "../running/ask-temporal.ts";
import { backfillText, openBackfills } from "./backfills.ts";
import {
  doubtJson,
  doubtLines,
  lookForDoubts,
  type ConfiguredSync,
  type DoubtStatus,
} from "./doubts.ts";
import { inboxesFacts, inboxesText, lookIntoInboxes, type InboxStatus } from "./inbox.ts";
import { lastRun } from "./last-run.ts";
import { stateText } from "./rate-limit.ts";
import { minuteText, statusOf, type TransferState, type TransferStatus } from "./transfer.ts";

/** Everything `sluice status` shows. */
type Status = {
  readonly transfers: readonly TransferStatus[];
  readonly inboxes: readonly InboxStatus[];
  readonly doubts: readonly DoubtStatus[];
  /** What older mappings of syncs made, a line each. */
  readonly mappings: readonly string[];
  /** Limits of the configured key and of storage hosts that hold requests back. */
  readonly limits: readonly RateLimit[];
  /** Workers that beat. */
  readonly workers: number;
  /** Hosts that have one. */
  readonly hosts: number;
  readonly backfills: readonly RunReport[];
  /** Why the Temporal that is meant does not answer; undefined where it does, or none is meant. */
  readonly silent: Silent | undefined;
};

function transfersOf({ syncs, pulls }: Config): TransferState[] {
  const all = [
    ...[...syncs.values()].map((sync) => ({ ...sync, kind: "sync" }) as const),
    ...[...pulls.values()].map((pull) => ({ ...pull, kind: "pull" }) as const),
  ];
  return all
    .map(({ name, kind, schedule }): TransferState => ({ name, kind, schedule }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Open runs looked at: a sync or pull has a few at most. */
const openRunsMax = 1_000;

/** Rejects of each sync that are open, whichever run holds them. */
async function openRejects(state: StateStore, { api }: Config): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const { sync, open } of await state.runsWithOpenRejects({ target: targetOf(api) }))
    found.set(sync, (found.get(sync) ?? 0) + open);
  return found;
}

async function blockingLimits(state: StateStore, config: Config): Promise<RateLimit[]> {
  // Limits of keys that are no longer configured may stay blocked for good.
  const isOurs = ({ limit }: RateLimit): boolean =>
    limit.startsWith(`api:${keyName(config.api.apiKey)}`) || limit.startsWith("put:");
  return (await state.rateLimits(systemClock()())).filter(isOurs).filter(isBlocking);
}

/** What older mappings of the configured syncs made, a line each. */
async function olderMappings(state: StateStore, config: Config): Promise<string[]> {
  const sources = sourcesOf(config);
  const target = targetOf(config.api);
  const lines: string[] = [];
  for (const sync of config.syncs.values()) {
    const source = sources.get(sync.connector);
    if (source === undefined) continue;
    const { text } = await lookForOlderMapping(state, { sync, source, target });
    if (text !== undefined) lines.push(`${sync.name}: ${text}`);
  }
  return lines;
}

/** The configured syncs, as what is in doubt of them is looked for. */
async function syncsOf(state: StateStore, config: Config): Promise<ConfiguredSync[]> {
  const sources = sourcesOf(config);
  const target = targetOf(config.api);
  const open = await state.runs({ isOpen: true, limit: openRunsMax });
  return [...config.syncs.values()].map(({ name, connector }) => ({
    target,
    sync: name,
    isPush: sources.get(connector)?.push !== undefined,
    isUnderWay: open.some((run) => run.sync === name && run.target === target),
  }));
}

async function look(state: StateStore, config: Config, context: Context): Promise<Status> {
  const transfers = transfersOf(config);
  const found = await Promise.all(
    transfers.map(async (transfer) => await lastRun(state, transfer, targetOf(config.api))),
  );
  const runs = found.filter((run) => run !== undefined);
  const asked = {
    runs: runs.filter(({ endedAt }) => endedAt === null),
    storeId: state.storeId,
    scheduled: transfers.filter(({ schedule }) => schedule !== undefined).map(({ name }) => name),
  };
  const { silent, ...told } = await askTemporal(asked, config, context);
  const reports = new Map<string, RunReport>();
  const rejects = await openRejects(state, config);
  for (const run of runs) reports.set(run.sync, await reportOfRun(state, run));
  const now = Date.now();
  const beats = await state.beats({
    nowMs: now,
    withinMs: config.advanced.hostLostAfterMs,
  });
  return {
    transfers: transfers.map((transfer) => {
      const last = reports.get(transfer.name);
      const open = told.runs.get(last?.run_id ?? "");
      const scheduled = told.schedules.get(transfer.name);
      const workers = beats.length;
      const seen = {
        last,
        open,
        scheduled,
        workers,
        openRejects: rejects.get(transfer.name),
        silent,
      };
      return statusOf(transfer, seen, new Date(now));
    }),
    inboxes: await lookIntoInboxes(config, state),
    doubts: await lookForDoubts(state, await syncsOf(state, config), systemClock()()),
    mappings: await olderMappings(state, config),
    limits: await blockingLimits(state, config),
    workers: beats.length,
    hosts: new Set(beats.map(({ hostId }) => hostId)).size,
    backfills: await openBackfills(state, targetOf(config.api)),
    silent: silent?.isFault === true ? silent : undefined,
  };
}

function countsText(report: RunReport): string {
  const told = reportCounts(report).filter(([name, count]) => name === "read" || count > 0);
  const { changed = 0 } = report.changes ?? {};
  return [
    ...told.map(([name, count]) => `${name.replaceAll("_", " ")} ${grouped(count)}`),
    ...(changed === 0 ? [] : [`changed ${grouped(changed)}`]),
  ].join(", ");
}

function rowOf({ name, last, next, schedule, waiting, problem }: TransferStatus): string[] {
  const nextText =
    next === undefined || schedule === undefined
      ? "-"
      : `${zonedText(next, schedule.timeZone)} ${schedule.timeZone}`;
  const wrong = problem === undefined ? [waiting ?? ""] : [problem.text, problem.hint ?? ""];
  const lastText = last === undefined ? "never" : minuteText(last.started_at);
  return [
    name,
    lastText,
    last?.outcome.replaceAll("_", " ") ?? "-",
    last === undefined ? "-" : countsText(last),
    nextText,
    plainText(wrong.filter((text) => text !== "").join(" → ")),
  ];
}

function limitText(rateLimit: RateLimit): string {
  const { limit, why } = rateLimit;
  return plainText(
    `${limit} is ${stateText(rateLimit)}: ${why ?? ""} → \`sluice rate-limit show\``,
  );
}

const heading = ["name", "last run", "outcome", "rows", "next run", "what is wrong → what to do"];

function textOf(status: Status): string {
  const { transfers, inboxes, doubts, mappings, limits, workers, hosts, silent } = status;

  const isWorkerMissed =
    workers === 0 &&
    (inboxes.some(({ waiting }) => waiting > 0) ||
      transfers.some(
        ({ last, schedule }) => schedule !== undefined || last?.outcome === "running",
      ));
  return [
    transfers.length === 0
      ? "nothing is configured under `syncs:` or `pulls:`"
      : advisingTable([heading, ...transfers.map(rowOf)], { style: { outcome: styledOutcome } }),
    ...status.backfills.map(backfillText).map(plainText),
    ...(hosts > 1 ? [`${workers} workers on ${hosts} hosts`] : []),
    ...(inboxes.length === 0 ? [] : [inboxesText(inboxes)]),
    ...doubts.flatMap(doubtLines).map(plainText),
    ...mappings.map(plainText),
    ...limits.map(limitText),
    ...(silent === undefined ? [] : [[silent.text, silent.hint ?? "`sluice doctor`"].join(" → ")]),
    ...(isWorkerMissed
      ? ["no worker runs, so nothing moves → `sluice worker`, or `sluice dev` on a laptop"]
      : []),
  ].join("\n");
}

function jsonOf(status: Status): string {
  const { transfers, inboxes, doubts, mappings, limits, workers, hosts, silent } = status;

  return plainJson({
    transfers: transfers.map(
      ({ name, kind, last, next, schedule, waiting, openRejects: open, problem }) => ({
        name,
        kind,
        last_run: last ?? null,
        next_run: next?.toISOString() ?? null,
        time_zone: schedule?.timeZone ?? null,
        waiting: waiting ?? null,
        open_rejects: open,
        problem: problem?.text ?? null,
        hint: problem?.hint ?? null,
      }),
    ),
    inboxes: inboxesFacts(inboxes),
    doubts: doubts.map(doubtJson),
    mappings,
    rate_limits: limits.map(({ limit, blockedUntil, breaker, why }) => ({
      limit,
      until:
        blockedUntil === null || isRefusedKey(limit) ? null : new Date(blockedUntil).toISOString(),
      breaker,
      why,
    })),
    workers,
    hosts,
    backfills: status.backfills.map(({ run_id, sync, started_at, counts }) => ({
      run_id,
      sync,
      started_at,
      counts,
    })),
    temporal: silent?.text ?? null,
  });
}

/** `sluice status`. */
export const registerStatus: Register = (program, context) => {
  withGlobals(program.command("status"))
    .description("the state of each sync and pull: runs, what is wrong and what to do")
    .action(async (options: GlobalOptions) => {
      const config = await configOf(context, options);
      const status = await readState(config, async (state) => await look(state, config, context));
      context.print(options.json ? jsonOf(status) : textOf(status));
    });
};

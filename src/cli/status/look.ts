import { sourcesOf } from "../../../connectors/registry.ts";
import { systemClock } from "../../clock.ts";
import { targetOf, type Config } from "../../config/config.ts";
import { liveWorkers } from "../../hosts/live-workers.ts";
import { reportOfRun } from "../../report/of-run.ts";
import { lookForOlderMapping } from "../../report/older-mapping.ts";
import type { RunReport } from "../../report/report.ts";
import { isBlocking, keyName } from "../../service/key-limits.ts";
import { currentKey } from "../../service/rotating-key.ts";
import type { RateLimit } from "../../state/contract/rate-limit.ts";
import { openHold } from "../../state/contract/runs/holds.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import type { StateStore } from "../../state/state-store.ts";
import type { Context } from "../output/context.ts";
import { type Unsendable, whyUnsendable } from "../run/unsendable.ts";
import { askTemporal, type Silent, type Told } from "../running/ask-temporal.ts";
import { type BackfillStatus, isBackfillAt, openBackfills } from "./backfills.ts";
import { lookForDoubts, type ConfiguredSync, type DoubtStatus } from "./doubts.ts";
import { lookIntoInboxes, type InboxStatus } from "./inbox.ts";
import { lastRun, lastRunAnywhere } from "./last-run.ts";
import { type LeftHold, leftHolds, whyNotApproved } from "./left-holds.ts";
import { isMissedIfThere, statusOf, type TransferState, type TransferStatus } from "./transfer.ts";
import { statusOfWorkers, type WorkersStatus } from "./workers.ts";

/** Everything `sluice status` shows. */
export type ProjectStatus = WorkersStatus & {
  readonly transfers: readonly TransferStatus[];
  readonly inboxes: readonly InboxStatus[];
  readonly doubts: readonly DoubtStatus[];
  /** What older mappings of syncs made, a line each. */
  readonly mappings: readonly string[];
  /** Limits of the configured key and of storage hosts that hold requests back. */
  readonly limits: readonly RateLimit[];
  readonly backfills: readonly BackfillStatus[];
  /** Held runs that are not shown with a sync. */
  readonly holds: readonly LeftHold[];
  /** Why the Temporal that is meant does not answer; undefined if it does, or none is meant. */
  readonly silent: Silent | undefined;
  /** Where records go: `sandbox`, or the origin of the service. */
  readonly service: string;
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

/** How many open runs are looked at: a sync or pull has a few at most. */
const openRunsMax = 1_000;

async function blockingLimits(state: StateStore, config: Config): Promise<RateLimit[]> {
  // Limits of keys that are no longer configured may stay blocked for good; a key in a file may have changed since.
  const ours = `api:${keyName(await currentKey(config.api))}`;
  const isOurs = ({ limit }: RateLimit): boolean =>
    limit.startsWith(ours) || limit.startsWith("put:");
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

/** The configured syncs, in the form in which doubts are looked for. */
function syncsOf(openRuns: readonly Run[], config: Config): ConfiguredSync[] {
  const sources = sourcesOf(config);
  const target = targetOf(config.api);
  return [...config.syncs.values()].map(({ name, connector }) => ({
    target,
    sync: name,
    isPush: sources.get(connector)?.push !== undefined,
    isUnderWay: openRuns.some((run) => run.sync === name && run.target === target),
  }));
}

/** The inputs of a look at a project. */
type Looking = {
  readonly state: StateStore;
  readonly config: Config;
  readonly context: Context;
  /** @default asks Temporal, for as long as that takes */
  readonly whatTemporalSays?: typeof askTemporal;
};

/** The facts found about a project, and what Temporal says about it. */
type Found = {
  readonly transfers: readonly TransferState[];
  /** The newest run of each of them. */
  readonly newest: readonly (Run | undefined)[];
  readonly openRuns: readonly Run[];
  readonly told: Told;
};

/** Asks Temporal about a project, always the same questions: the pages show its last answer to any of them. */
export async function askOfProject(looking: Looking): Promise<Found> {
  const { state, config, context, whatTemporalSays = askTemporal } = looking;
  const transfers = transfersOf(config);
  const newest = await Promise.all(
    transfers.map(async (transfer) => await lastRun(state, transfer, targetOf(config.api))),
  );
  const now = new Date(state.now());
  const openRuns = await state.runs({ isOpen: true, limit: openRunsMax });
  const open = newest.filter((run) => run !== undefined).filter(isOpen);
  const shown = openRuns.filter(
    (run) => openHold(run) !== undefined || isBackfillAt(run, targetOf(config.api)),
  );
  const asked = {
    runs: [...new Map([...open, ...shown].map((run) => [run.runId, run])).values()],
    storeId: state.storeId,
    used: config.store === undefined ? undefined : await state.usedTemporal(),
    scheduled: transfers.filter(({ schedule }) => schedule !== undefined).map(({ name }) => name),
    undated: transfers
      .filter(({ schedule }, at) => isMissedIfThere(schedule, newest[at], now))
      .map(({ name }) => name),
  };
  const told = await whatTemporalSays(asked, config, context);
  const again = await readAgain(state, [...newest, ...openRuns]);
  return {
    transfers,
    newest: newest.map((run) => again.get(run?.runId ?? "")),
    openRuns: openRuns.flatMap(({ runId }) => again.get(runId) ?? []).filter(isOpen),
    told,
  };
}

function isOpen({ endedAt }: Run): boolean {
  return endedAt === null;
}

/**
 * Runs as they are once Temporal has answered, by their ids: a run ends in the store before its workflow does, so one
 * that still continues there, and not at Temporal, was interrupted.
 */
async function readAgain(
  state: StateStore,
  runs: readonly (Run | undefined)[],
): Promise<ReadonlyMap<string, Run>> {
  const again = new Map<string, Run>();
  for (const run of runs) {
    if (run === undefined || again.has(run.runId)) continue;
    again.set(run.runId, isOpen(run) ? ((await state.run(run.runId)) ?? run) : run);
  }
  return again;
}

/** A run as it is now and, while it is held, why it cannot be approved, as far as is known. */
export async function heldNow(
  looking: Looking,
  seen: Run,
): Promise<{ readonly run: Run; readonly not: Unsendable | undefined }> {
  if (openHold(seen) === undefined) return { run: seen, not: undefined };
  const { told } = await askOfProject(looking);
  const run = (await looking.state.run(seen.runId)) ?? seen;
  const isHeld = openHold(run) !== undefined;
  return { run, not: isHeld ? whyNotApproved(run, looking.config, told) : undefined };
}

/** Looks at every sync and pull of a project, and at what holds them back. */
export async function lookAtProject(looking: Looking): Promise<ProjectStatus> {
  const { state, config } = looking;
  const found = await askOfProject(looking);
  const { transfers, newest, openRuns } = found;
  const { silent, ...told } = found.told;
  const runs = newest.filter((run) => run !== undefined);
  const reports = new Map<string, RunReport>();
  const counts = await state.openRejectCounts({ target: targetOf(config.api) });
  const rejects = new Map(counts.map(({ sync, open }) => [sync, open]));
  for (const run of runs) reports.set(run.sync, await reportOfRun(state, run));
  const now = state.now();
  const withinMs = config.advanced.hostLostAfterMs;
  const live = await liveWorkers(state, { nowMs: now, withinMs });
  // Nights that went to another service, as before a change of its address, did happen.
  const anywhere = await Promise.all(
    transfers.map(async (each) =>
      reports.has(each.name) ? undefined : await lastRunAnywhere(state, each),
    ),
  );
  return {
    transfers: transfers.map((transfer, at) => {
      const last = reports.get(transfer.name);
      const scheduled = told.schedules.get(transfer.name);
      // A worker that does nothing for this project may still continue a run: on its queue, or once Temporal is back.
      const workers = live.length;
      const run = newest[at];
      const id = run?.endedAt === null ? run.runId : "";
      const seen = {
        last,
        open: told.runs.get(id),
        isAsked: told.asked.has(id),
        nominalAt: run?.nominalAt ?? undefined,
        ranElsewhere: anywhere[at],
        scheduled,
        workers,
        openRejects: rejects.get(transfer.name),
        silent,
        isElsewhere: told.elsewhere.has(id),
        unsendable: run === undefined ? undefined : whyUnsendable(config, run),
      };
      return statusOf(transfer, seen, new Date(now));
    }),
    inboxes: await lookIntoInboxes(config, state),
    doubts: await lookForDoubts(state, syncsOf(openRuns, config), systemClock()()),
    mappings: await olderMappings(state, config),
    limits: await blockingLimits(state, config),
    ...statusOfWorkers(live, config),
    backfills: await openBackfills(state, openRuns, {
      target: targetOf(config.api),
      told,
      workers: live.length,
    }),
    holds: leftHolds(openRuns, config, { shown: new Set(runs.map(({ runId }) => runId)), told }),
    silent: silent?.isFault === true ? silent : undefined,
    service: config.api.baseUrl === "sandbox" ? "sandbox" : config.api.baseUrl.origin,
  };
}

import { existsSync } from "node:fs";

import type { Progress } from "../../../workflows/sync/progress.ts";
import type { sync } from "../../../workflows/sync/sync.ts";
import { inTime } from "../../clock.ts";
import type { Config } from "../../config/config.ts";
import { messageOf, SluiceError } from "../../errors.ts";
import { isWorkflowOpen, type TemporalClient } from "../../local/connect.ts";
import { storesOn, temporalIdOf, whyNoNamespace } from "../../local/presence.ts";
import type { ListedState } from "../../schedules/missed.ts";
import { scheduleStates, withSince } from "../../schedules/schedule-state.ts";
import type { TemporalRecord } from "../../state/contract/runs/hosts.ts";
import type { Run } from "../../state/contract/runs/runs.ts";
import { statusConnectMsMax, statusTemporalMsMax } from "../limits.ts";
import type { Context } from "../output/context.ts";
import { pendingTrouble } from "./pending.ts";
import { reachTemporal, type ReachedTemporal, whyOtherReached } from "./reach-temporal.ts";
import { defaultTemporal, historiesFile } from "./services.ts";

/** What Temporal knows about a run that has not ended. */
export type OpenRun = {
  /** False if nobody continues with it. */
  readonly isWorkflowOpen: boolean;
  /** What it waits for, in one line; undefined while it progresses, or while no worker runs that could say. */
  readonly waiting: string | undefined;
};

/** What Temporal says about a project; answers that do not come in time are missing. */
export type Told = {
  /** Ids of the runs that it was asked about. */
  readonly asked: ReadonlySet<string>;
  /** By the run's id. */
  readonly runs: ReadonlyMap<string, OpenRun>;
  /** Ids of runs that are at another Temporal than commands use here: that one is away, or lost. */
  readonly elsewhere: ReadonlySet<string>;
  /** By the name of the sync or pull. If there are many, a state may be a second old (`scheduleStates`). */
  readonly schedules: ReadonlyMap<string, ListedState>;
  /** Why Temporal says nothing about this project; undefined if it was not asked, or has answered. */
  readonly silent: Silent | undefined;
};

/** Why there is no Temporal that could answer, and what to do. `isFault`: one is meant, and does not answer. */
export type Silent = {
  readonly text: string;
  readonly hint: string | undefined;
  readonly isFault: boolean;
};

/** What a run waits for by its own words; undefined if it does not say. */
export function ownWaiting({
  needs_approval: isPlanWaiting,
  ...own
}: Progress): string | undefined {
  if (isPlanWaiting !== true) return own.waiting ?? undefined;
  const { run_id: run } = own;
  return `its plan waits for consent: \`sluice backfill --follow ${run}\`, or \`sluice cancel ${run}\``;
}

async function askRun({ client }: TemporalClient, run: Run): Promise<OpenRun> {
  if (!(await isWorkflowOpen(client, run))) return { isWorkflowOpen: false, waiting: undefined };
  const handle = client.workflow.getHandle<typeof sync>(run.workflowId);
  const trouble = pendingTrouble(handle).catch(() => undefined);
  const progress = handle.query<Progress>("progress").catch(() => undefined);
  const said = await progress;
  const waiting = (said && ownWaiting(said)) ?? (await trouble);
  return { isWorkflowOpen: true, waiting };
}

const start = "`sluice dev` starts one; `sluice schedule apply` then gives it the schedules";

/** Reaches Temporal, or says why not. A connection that comes too late is closed when it comes. */
async function reach(config: Config, context: Context): Promise<ReachedTemporal | Silent> {
  const reaching = reachTemporal(config, context, statusConnectMsMax).then(
    (found) => found ?? { text: "no Temporal runs here", hint: start, isFault: false },
    (error: unknown): Silent => {
      const hint = error instanceof SluiceError ? error.hint : undefined;
      return { text: messageOf(error), hint, isFault: true };
    },
  );
  const temporal = await inTime(reaching, statusTemporalMsMax);
  if (temporal !== undefined) return temporal;
  void reaching.then(async (found) => ("client" in found ? await found.close() : undefined));
  const text = `Temporal does not answer within ${statusTemporalMsMax / 1_000} s`;
  return { text, hint: "`sluice doctor`", isFault: true };
}

/**
 * Whether a Temporal that only listens on the default address is this project's: another project's would report that
 * our schedules do not exist.
 */
async function isOurs(
  { client, isFound }: ReachedTemporal,
  taskQueue: string,
  storeId: string,
): Promise<boolean> {
  if (!isFound) return true;
  const stores = await storesOn(client, { taskQueue }).catch((): (string | undefined)[] => []);
  return stores.includes(storeId);
}

/** Why a Temporal says nothing about a store: the store is used with another one. */
function whyOther(
  config: Config,
  used: TemporalRecord | undefined,
  reached: Pick<ReachedTemporal, "address" | "isFound"> & {
    readonly temporalId: string | undefined;
  },
): Silent | undefined {
  const { temporalId, address, isFound } = reached;
  if (temporalId === undefined) return undefined;
  const why = whyOtherReached(config, used, { temporalId, address, isFound });
  return why === undefined ? undefined : { text: why.message, hint: why.hint, isFault: true };
}

/** The ids of runs. */
export function runIdsOf(runs: readonly Run[]): ReadonlySet<string> {
  return new Set(runs.map(({ runId }) => runId));
}

/** Asks Temporal about open runs and schedules of a store, for `statusTemporalMsMax` in all. */
export async function askTemporal(
  asked: {
    readonly runs: readonly Run[];
    readonly scheduled: readonly string[];
    /** Those of them for which it matters since when Temporal has the schedule. @default none */
    readonly undated?: readonly string[];
    readonly storeId: string;
    /** The Temporal that the store is used with, if that is recorded. */
    readonly used: TemporalRecord | undefined;
  },
  config: Config,
  context: Context,
): Promise<Told> {
  const runs = new Map<string, OpenRun>();
  const ids = runIdsOf(asked.runs);
  let schedules: Told["schedules"] = new Map();
  const signal = AbortSignal.timeout(statusTemporalMsMax);
  const temporal = await reach(config, context);
  // A stopped server of our own is the one that the next command starts.
  const isOwnKept = existsSync(historiesFile(config.stateFolder));
  if (!("client" in temporal)) {
    const lost = temporal.isFault || isOwnKept ? [] : asked.runs;
    return { asked: ids, runs, elsewhere: runIdsOf(lost), schedules, silent: temporal };
  }
  let silent: Silent | undefined;
  let away: readonly Run[] = [];
  await temporal.client.withAbortSignal(signal, async () => {
    const { client } = temporal;
    const { taskQueue } = config.temporal;
    const temporalId = await temporalIdOf(client).catch(() => undefined);
    const askSchedules = async (): Promise<void> => {
      const missing = await whyNoNamespace(client);
      const other = whyOther(config, asked.used, { ...temporal, temporalId });
      if (missing !== undefined)
        silent = { text: missing.message, hint: missing.hint, isFault: true };
      else if (other !== undefined) silent = other;
      else if (await isOurs(temporal, taskQueue, asked.storeId)) {
        const states = await scheduleStates(client, taskQueue, asked.scheduled);
        schedules = await withSince(client, taskQueue, { states, names: asked.undated ?? [] });
      } else {
        const text = `the Temporal at ${defaultTemporal} has no worker of this project`;
        silent = { text, hint: start, isFault: false };
      }
    };
    // This Temporal knows nothing about a run at another one, which does not mean that the run was terminated.
    const isUsed = temporalId !== undefined && !(temporal.isFound && isOwnKept);
    if (isUsed) away = asked.runs.filter((run) => run.temporalId !== temporalId);
    const here = asked.runs.filter((run) => run.temporalId === temporalId);
    const asking = here.map(async (run) => runs.set(run.runId, await askRun(temporal, run)));
    await Promise.allSettled([...asking, askSchedules()]);
  });
  await temporal.close();
  return { asked: ids, runs, elsewhere: runIdsOf(away), schedules, silent };
}

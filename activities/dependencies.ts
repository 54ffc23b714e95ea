import type { Source } from "../connectors/contract/connector.ts";
import { assertSameAccount, holderOf } from "../connectors/identities.ts";
import type { ApiClient } from "../src/api/client.ts";
import type { Clock, Moment } from "../src/clock.ts";
import type { Config, SyncConfig } from "../src/config/config.ts";
import type { PullConfig } from "../src/config/schema/pull.ts";
import type { Effect } from "../src/effect.ts";
import {
  ConfigChangedError,
  ConfigError,
  RunEndedError,
  SupersededError,
  WrongStoreError,
} from "../src/errors.ts";
import type { Inbox } from "../src/inbox/inbox.ts";
import type { Notifier } from "../src/notify/notifier.ts";
import type { NotifyInput } from "../src/notify/receivers.ts";
import type { RunReport } from "../src/report/report.ts";
import type { ScheduleState } from "../src/schedules/missed.ts";
import type { LockHolder } from "../src/state/contract/runs/locks.ts";
import type { Run } from "../src/state/contract/runs/runs.ts";
import type { StateStore } from "../src/state/state-store.ts";
import type { RunRef } from "./inputs.ts";
import type { StageThreads } from "./stage/stage-threads.ts";

/** The inbox, and how to start its drains. */
export type Inboxes = {
  readonly inbox: Inbox;
  /** Starts the workflow `inboxDrain` of a connection; a running one is left alone. */
  startDrain(connection: string): Promise<void>;
};

/** Everything the activities work with, made once per worker; see `createSharedActivities`, `createHostActivities`. */
export type Dependencies = {
  readonly config: Config;
  /** Checkpoints and fingerprints belong to it; see `targetOf`. */
  readonly target: string;
  readonly state: StateStore;
  readonly api: ApiClient;
  /** Connectors by name. */
  readonly sources: ReadonlyMap<string, Source>;
  readonly stageThreads: StageThreads;
  /** Wraps changes of the staging folder; `state` and `api` received it when they were made. */
  readonly effect: Effect;
  /** Folder of staged files. */
  readonly stagingFolder: string;
  readonly hostId: string;
  /** Names this process among all processes of its host, including later ones (`processName`). */
  readonly process: string;
  /** The task queue of activities that need this host's files. */
  readonly hostQueue: string;
  /** Temporal's cluster and namespace: a run's workflow can be looked up only there. */
  readonly temporalId: string;
  /** Asks Temporal whether the workflow that holds a lock is still open. */
  isWorkflowOpen(holder: Pick<LockHolder, "workflowId" | "firstRunId">): Promise<boolean>;
  /** The state of the schedule of a sync or pull, according to Temporal. */
  scheduleState(name: string): Promise<ScheduleState>;
  /** Posts notifications about runs to their receivers. */
  readonly notifier: Notifier;
  /** Starts the workflow `notify` of a run; starting it again changes nothing. */
  startNotifying(input: NotifyInput): Promise<void>;
  /** Whether the process of this name (`process`) is gone; undefined where that cannot be checked from here. */
  isProcessGone(name: string): boolean | undefined;
  /** By number, when requests of this process ended whose end the store could not note: it is noted later. */
  readonly unnotedEnds: Map<number, Moment>;
  /** Counts the report of a run when it ends; undefined counts nothing. */
  readonly runClosed?: ((report: RunReport) => void) | undefined;
  /** Starts the workflow `resend` of a sync; a running one is left alone. */
  startResend(sync: string): Promise<void>;
  /**
   * Puts an example into the Web UI's start form again, a while after the backfill of this workflow id; undefined puts
   * none there.
   */
  readonly seedTemplate?: ((workflowId: string) => void) | undefined;
  /** The inbox and its drains; undefined where no connection is pushed to. */
  readonly inboxes?: Inboxes | undefined;
  /** Unix ms. */
  now(): number;
  /** For rate limits: setting the system clock must not end their blocks. */
  readonly clock: Clock;
  /** Receives one line when a run opens, one when it closes, and warnings. Names and numbers only. */
  readonly log: Record<"info" | "warn", (facts: object, text: string) => void>;
};

/**
 * The configuration of a sync.
 * @throws {ConfigError} the worker's `sluice.yaml` has no sync of that name.
 */
export function syncOf({ config }: Pick<Dependencies, "config">, name: string): SyncConfig {
  const sync = config.syncs.get(name);
  if (sync === undefined) {
    const names = [...config.syncs.keys()].join(", ");
    throw new ConfigError(`there is no sync "${name.slice(0, 100)}" in ${config.file}`, {
      field: "sync",
      hint: names === "" ? "configure one under `syncs:`" : `the syncs are: ${names}`,
    });
  }
  return sync;
}

/**
 * The configuration of a pull.
 * @throws {ConfigError} the worker's `sluice.yaml` has no pull of that name.
 */
export function pullOf({ config }: Pick<Dependencies, "config">, name: string): PullConfig {
  const pull = config.pulls.get(name);
  if (pull === undefined) {
    const names = [...config.pulls.keys()].join(", ");
    throw new ConfigError(`there is no pull "${name.slice(0, 100)}" in ${config.file}`, {
      field: "pull",
      hint: names === "" ? "configure one under `pulls:`" : `the pulls are: ${names}`,
    });
  }
  return pull;
}

/** @throws {RunEndedError} the run has ended: it would resend records that later runs may have replaced. */
export function assertNotEnded({ runId, kind, outcome, sync }: Run): void {
  if (outcome === null) return;
  const command = kind === "pull" || kind === "backfill" ? kind : "run";
  throw new RunEndedError(`run ${runId} has ended as ${outcome.replaceAll("_", " ")}`, {
    hint: `a reset does not run it again: \`sluice ${command} ${sync}\` begins a new run`,
  });
}

const endsHere = "run it again: this run ends here, with what it did committed";

/** @throws {ConfigError} the run was begun for another service than this worker's; the two hold different records. */
export function assertSameTarget(
  deps: Pick<Dependencies, "target">,
  { runId, target }: Pick<Run, "runId" | "target">,
): void {
  if (target === deps.target) return;
  throw new ConfigError(
    `run ${runId} was begun for ${target}, and this worker sends to ${deps.target}`,
    { field: "api.base_url", hint: endsHere },
  );
}

/** The error of a run whose configuration is no longer the one that it began with. */
export function changedSinceBegun({
  runId,
  kind,
  sync,
}: Pick<Run, "kind" | "runId" | "sync">): ConfigChangedError {
  const what = kind === "pull" ? "pull" : "sync";
  return new ConfigChangedError(
    `the configuration of ${what} ${sync} changed since run ${runId} was begun`,
    { field: `${what}s.${sync}`, hint: endsHere },
  );
}

/**
 * The run of an activity that only notes what was done. It must be on this store, and must not have given its lock
 * away.
 * @throws {WrongStoreError} @throws {SupersededError}
 */
export async function heldRunOf(
  { state }: Pick<Dependencies, "state">,
  { runId, storeId, fence }: RunRef,
): Promise<Run> {
  if (storeId !== state.storeId) {
    throw new WrongStoreError(
      `run ${runId} was begun on state store ${storeId}, and this worker has ${state.storeId}`,
      { hint: "let only workers of one `state:` poll a task queue (temporal.task_queue)" },
    );
  }
  const run = await state.run(runId);
  if (run === undefined) {
    throw new WrongStoreError(`run ${runId} is not in the state store that it was begun on`, {
      hint: "the store was emptied or restored meanwhile: run the sync again",
    });
  }
  if (run.fence !== fence) {
    throw new SupersededError(`run ${runId} has given up its send lock since this was begun`);
  }
  return run;
}

/**
 * A worker may have been restarted with another key in the middle of a run. A key from a file is checked when a run
 * opens, because it may be rotated under a worker.
 * @throws {ConfigError} it is not the key that the run was opened with.
 */
async function assertStillSameAccount(
  deps: Pick<Dependencies, "config" | "now" | "state" | "target">,
  run: Run,
): Promise<void> {
  const { api } = deps.config;
  if (api.apiKeyFile !== undefined) return;
  const kind = run.kind === "pull" ? "pull" : "sync";
  const holder = holderOf(deps, { kind, name: run.sync, at: isoNow(deps) });
  await assertSameAccount(holder, api, { isFresh: false, isKept: false });
}

/**
 * The run of an activity that reads, maps or sends, once it is certain that this worker may continue it: neither a
 * redeploy nor a zombie may mix two mappings, two services, two accounts or two stores.
 * @throws {WrongStoreError} @throws {SupersededError} @throws {ConfigChangedError} its configuration has changed since.
 * @throws {ConfigError} it was begun for another service than this worker's; the two hold different records.
 */
export async function runOf(
  deps: Pick<Dependencies, "config" | "now" | "state" | "target">,
  ref: RunRef,
): Promise<Run> {
  const run = await heldRunOf(deps, ref);
  assertSameTarget(deps, run);
  const { configHash } = run.kind === "pull" ? pullOf(deps, run.sync) : syncOf(deps, run.sync);
  if (configHash !== ref.configHash) throw changedSinceBegun(run);
  await assertStillSameAccount(deps, run);
  return run;
}

/** The task queue of the activities that need a host's files. */
export function hostQueueOf({ temporal }: Pick<Config, "temporal">, hostId: string): string {
  return `${temporal.taskQueue}-host-${hostId}`;
}

/** The time as the store keeps it. */
export function isoNow({ now }: Pick<Dependencies, "now">): string {
  return new Date(now()).toISOString();
}

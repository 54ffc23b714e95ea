import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { Client } from "@temporalio/client";
import {
  NativeConnection,
  Worker,
  type ActivityInterceptorsFactory,
  type WorkerOptions,
} from "@temporalio/worker";
import type { Logger } from "pino";

import { cutOffBy } from "../activities/attempt.ts";
import { hostQueueOf, type Dependencies, type Inboxes } from "../activities/dependencies.ts";
import { createHostActivities, createSharedActivities } from "../activities/index.ts";
import { closeAbandoned } from "../activities/run/close-abandoned.ts";
import { keepCleanedUp } from "../activities/stage/drop-chunk.ts";
import { createStageThreads, type StageThreads } from "../activities/stage/stage-threads.ts";
import type { Source } from "../connectors/contract/connector.ts";
import { pushConnections } from "../connectors/contract/push-connections.ts";
import type { ProxySettings } from "./api/http/http.ts";
import { templatesOf } from "./backfill/template.ts";
import { systemClock } from "./clock.ts";
import { targetOf, type Config } from "./config/config.ts";
import { bothEffects, runEffect } from "./effect.ts";
import { TemporalUnreachableError } from "./errors.ts";
import { configMarks } from "./hosts/live-workers.ts";
import { refuseCopiedFolder, refuseOtherTemporal, warnOfOtherQueue } from "./hosts/store-guards.ts";
import { inboxFileIn } from "./inbox/file.ts";
import { openInbox } from "./inbox/open.ts";
import { isWorkflowOpen, temporalOptions } from "./local/connect.ts";
import { startNotifying } from "./local/notification.ts";
import {
  queueNow,
  refuseOtherStore,
  runWorkers,
  shutDown,
  startBeating,
  storePlace,
  temporalIdOf,
  workerIdentity,
} from "./local/presence.ts";
import { isProcessGone, processName } from "./local/process-identity.ts";
import { startResend } from "./local/resend.ts";
import { keepTemplates, type KeptTemplates } from "./local/templates.ts";
import { installRuntime } from "./local/temporal-runtime.ts";
import type { Traces } from "./local/traces.ts";
import { whyUnreachable } from "./local/why-unreachable.ts";
import type { ProcessMetrics } from "./metrics/process-metrics.ts";
import { createProjectLook } from "./metrics/project-figures.ts";
import { createNotifier } from "./notify/notifier.ts";
import { lookReady, type Readiness } from "./probes/readiness.ts";
import { keepInboxesChecked } from "./schedules/inbox-check.ts";
import { endLostHolds } from "./schedules/lost-holds.ts";
import { scheduleState } from "./schedules/schedule-state.ts";
import { makePrivateFolder } from "./security/private-file.ts";
import { createServiceClient, type ServiceAddresses } from "./service/client.ts";
import { folderName, readHostId } from "./staging/host-id.ts";
import { openStateStore } from "./state/open.ts";
import type { StateStore } from "./state/state-store.ts";
import { startDrain } from "./webhooks/drain.ts";

/** Activities of the shared queue that one worker runs at once. */
const sharedActivitiesMax = 20;

/** Activities with local files that one worker runs at once, bounded by its disk. */
const hostActivitiesMax = 4;

/** The settings of a worker. */
export type WorkerSettings = {
  readonly config: Config;
  readonly addresses: ServiceAddresses;
  /** Undefined connects to the service directly. */
  readonly proxy: ProxySettings | undefined;
  /** Undefined connects as TEMPORAL_ADDRESS and related variables say. */
  readonly temporalAddress: string | undefined;
  readonly sources: ReadonlyMap<string, Source>;
  readonly log: Logger;
  /** The command that was typed to start it; other commands name it so. */
  readonly command: string;
  /** How long running work has to end when the worker stops; the next worker begins unfinished work again. */
  readonly graceMs: number;
  /** Counts what the worker does. @default nothing is counted */
  readonly metrics?: ProcessMetrics | undefined;
  /** Traces what the worker does, and is closed with it. @default nothing is traced */
  readonly traces?: Traces | undefined;
  /** Where Prometheus reads Temporal's own metrics. @default nowhere */
  readonly temporalMetrics?: { readonly host: string; readonly port: number } | undefined;
  /** Resources that the process already has, and closes itself once the worker has ended. @default it opens its own */
  readonly opened?: { readonly state: StateStore; readonly stageThreads: StageThreads } | undefined;
};

/** A worker that polls. */
export type RunningWorker = {
  readonly hostQueue: string;
  /** Checks whether it can work. */
  look(): Promise<Readiness>;
  /** Resolves when it has stopped; rejects when it broke. */
  readonly ended: Promise<void>;
  /**
   * Takes no more work, gives running work `withinMs` to end, at most the settings' `graceMs`, and resolves when
   * everything has stopped.
   */
  stop(withinMs?: number): Promise<void>;
};

/** The workflow bundle of the build; from source the bundle is made at the start. */
function workflowSource(): Partial<WorkerOptions> {
  const bundle = fileURLToPath(new URL("../workflow-bundle.js", import.meta.url));
  if (existsSync(bundle)) return { workflowBundle: { codePath: bundle } };
  const inputs = fileURLToPath(new URL("../workflows/unreadable-input.ts", import.meta.url));
  return {
    workflowsPath: fileURLToPath(new URL("../workflows/index.ts", import.meta.url)),
    dataConverter: { payloadConverterPath: inputs },
    interceptors: { workflowModules: [inputs] },
  };
}

async function connect(address: string | undefined): Promise<NativeConnection> {
  const options = temporalOptions(address);
  try {
    return await NativeConnection.connect(options.connectionOptions);
  } catch (error) {
    const where = options.connectionOptions.address ?? "localhost:7233";
    throw new TemporalUnreachableError(
      `cannot reach Temporal at ${where}: ${await whyUnreachable(where, error)}`,
      {
        cause: error,
        hint:
          "a worker starts none: `sluice temporal start` does, `sluice dev` has both; or set " +
          "TEMPORAL_ADDRESS to one that runs",
      },
    );
  }
}

/** The inbox of a project; undefined where nothing is pushed to any connection, nor was before. */
async function openInboxes(
  { config, sources }: WorkerSettings,
  client: Client,
): Promise<Inboxes | undefined> {
  const isPushedTo = pushConnections({ config, sources }).length > 0;
  const mayBeThere = config.store !== undefined || existsSync(inboxFileIn(config.stateFolder));
  if (!isPushedTo && !mayBeThere) return undefined;
  const inbox = await openInbox(config);
  // What was kept for a former connection is removed in its time.
  if (!isPushedTo && (await inbox.backlogs()).length === 0) {
    await inbox.close();
    return undefined;
  }
  const { taskQueue } = config.temporal;
  return {
    inbox,
    startDrain: async (connection) => await startDrain(client, { connection, taskQueue }),
  };
}

/** Begins what can begin only once a worker polls, because the worker answers it. */
async function beginWith(
  deps: Pick<Dependencies, "config" | "log" | "state"> & { readonly templates: KeptTemplates },
  client: Client,
): Promise<void> {
  const { taskQueue } = deps.config.temporal;
  await Promise.all([deps.templates.seed(), endLostHolds({ ...deps, client, taskQueue })]);
}

async function createDependencies(
  settings: WorkerSettings,
  client: Client,
): Promise<Dependencies & { readonly templates: KeptTemplates; close(): Promise<void> }> {
  const { config, sources, opened, metrics, traces, log } = settings;
  const { taskQueue } = config.temporal;
  const stored = opened?.state ?? (await openStateStore(config));
  const state = metrics?.timed(stored) ?? stored;
  const inboxes = await openInboxes(settings, client);
  const stagingFolder = join(config.stateFolder, "staging");
  makePrivateFolder(stagingFolder);
  const hostId = await readHostId(config.stateFolder);
  const effect = bothEffects(metrics?.request, traces?.request);
  const api = createServiceClient(config, { ...settings, state, effect });
  const stageThreads = opened?.stageThreads ?? createStageThreads(state, { ready: 1 });
  const { allowInsecureHosts } = config.api;
  const notifier = createNotifier({ allowInsecureHosts, proxy: settings.proxy });
  // The examples that prefill the start form of the Web UI.
  const examples = templatesOf(config, sources);
  const templates = keepTemplates({ client, taskQueue, templates: examples, log });
  return {
    config,
    target: targetOf(config.api),
    state,
    api,
    sources,
    stageThreads,
    effect: runEffect,
    stagingFolder,
    hostId,
    process: processName(hostId),
    isProcessGone: (name) => isProcessGone(name, hostId),
    unnotedEnds: new Map(),
    runClosed: (report) => {
      metrics?.runClosed(report);
      traces?.runClosed(report);
    },
    hostQueue: hostQueueOf(config, hostId),
    temporalId: await temporalIdOf(client),
    isWorkflowOpen: async (holder) => await isWorkflowOpen(client, holder),
    scheduleState: async (name) => await scheduleState(client, taskQueue, name),
    notifier,
    startNotifying: async (input) => await startNotifying(client, config.temporal, input),
    startResend: async (sync) => await startResend(client, config.temporal, sync),
    seedTemplate: (workflowId) => templates.seedAgain(workflowId),
    inboxes,
    now: () => state.now(),
    clock: systemClock(),
    log,
    templates,
    close: async () => {
      await templates.close();
      if (opened === undefined) await stageThreads.close();
      await api.close();
      await notifier.close();
      await inboxes?.inbox.close();
      if (opened === undefined) await state.close();
    },
  };
}

/** The shared queue's worker and this host's. */
async function createWorkers(
  deps: Dependencies,
  {
    graceMs,
    traces,
    cutOff,
    ...reached
  }: Pick<WorkerSettings, "graceMs" | "traces"> & {
    readonly connection: NativeConnection;
    readonly namespace: string;
    /** Interrupts running activities. */
    readonly cutOff: AbortSignal;
  },
): Promise<Worker[]> {
  const { interceptors, ...workflows } = workflowSource();
  const cutOffs: ActivityInterceptorsFactory = () => ({
    inbound: {
      execute: async (input, next) => await cutOffBy(cutOff, async () => await next(input)),
    },
  });
  const activity = traces === undefined ? [cutOffs] : [cutOffs, traces.activity];
  const shared = {
    ...reached,
    interceptors: { ...interceptors, activity },
    // `sluice run` reads the store's id here, before it trusts this worker with a sync.
    identity: workerIdentity(storePlace(deps.config, deps.state)),
    // A cancel is seen within a second; the default throttle would delay it for most of a heartbeat timeout.
    maxHeartbeatThrottleInterval: "1 second",
    // How long a workflow waits for a dead worker that has it in its cache; Temporal's default is 10 s.
    stickyQueueScheduleToStartTimeout: "3 seconds",
    shutdownGraceTime: graceMs,
    shutdownForceTime: "60 seconds",
    // Never 'Error': a nondeterminism error would then kill runs.
    workflowFailureErrorTypes: { "*": ["ZodError"] },
  } satisfies Partial<WorkerOptions>;
  return await Promise.all([
    Worker.create({
      ...shared,
      ...workflows,
      taskQueue: deps.config.temporal.taskQueue,
      activities: createSharedActivities(deps),
      maxConcurrentActivityTaskExecutions: sharedActivitiesMax,
    }),
    Worker.create({
      ...shared,
      taskQueue: deps.hostQueue,
      activities: createHostActivities(deps),
      maxConcurrentActivityTaskExecutions: hostActivitiesMax,
    }),
  ]);
}

/**
 * Starts a worker: one process, one connection, one Temporal worker for the shared queue and one for this host's.
 * @throws {TemporalUnreachableError} @throws {ConfigError} @throws {StateUnavailableError}
 */
export async function startWorker(settings: WorkerSettings): Promise<RunningWorker> {
  const { config, log, command, graceMs } = settings;
  installRuntime(log, settings.temporalMetrics);
  // An open resource would keep a process that cannot begin from ending, and nobody would start another.
  await using closing = new AsyncDisposableStack();
  closing.defer(async () => await settings.traces?.close());
  const connection = await connect(settings.temporalAddress);
  closing.defer(async () => await connection.close());
  const { namespace = "default" } = temporalOptions(settings.temporalAddress);
  const client = new Client({ connection, namespace });
  const deps = await createDependencies(settings, client);
  closing.defer(async () => await deps.close());
  await refuseOtherTemporal(config, { ...deps, address: settings.temporalAddress });
  await refuseOtherStore(client, queueNow(config, deps.state), storePlace(config, deps.state));
  await refuseCopiedFolder(config, deps);
  await warnOfOtherQueue(config, deps);
  await closeAbandoned(deps);
  const askTemporal = async (): Promise<string> => await temporalIdOf(client);
  const { stateFolder, advanced } = config;
  const silentMsMax = advanced.hostLostAfterMs;
  const works = { command, configs: configMarks(config), folder: folderName(stateFolder) };
  const beating = await startBeating({ ...deps, ...works, askTemporal, silentMsMax });
  closing.defer(async () => await beating.stop());
  const cleaning = keepCleanedUp(deps);
  closing.defer(async () => await cleaning.stop());
  const cutOff = new AbortController();
  const workers = await createWorkers(deps, {
    graceMs,
    traces: settings.traces,
    cutOff: cutOff.signal,
    connection,
    namespace,
  });
  const owner = { taskQueue: config.temporal.taskQueue, storeId: deps.state.storeId };
  if (deps.inboxes !== undefined) await keepInboxesChecked(client, owner, log);
  settings.metrics?.watch(createProjectLook({ ...deps, inbox: deps.inboxes?.inbox }));
  const open = closing.move();
  const ended = (async () => {
    try {
      await runWorkers(workers, { ...beating, cutOff });
    } finally {
      settings.metrics?.watch(undefined);
      await open.disposeAsync();
    }
  })();
  // Only once the workers poll, because they finish this. If a worker broke meanwhile, `ended` says why.
  await Promise.race([beginWith(deps, client), ended.catch(() => undefined)]);
  log.info({ queue: config.temporal.taskQueue, hostQueue: deps.hostQueue }, "worker started");
  return {
    hostQueue: deps.hostQueue,
    look: async () => await lookReady({ ...deps, stateFolder, askTemporal }),
    ended,
    stop: async (withinMs = graceMs) => {
      const timer = setTimeout(() => cutOff.abort(), withinMs);
      // Closed first, because the workers finish the templates that were begun. At a signal Temporal's runtime has them
      // take none at once, and the next worker finishes the few that none of them had taken.
      await deps.templates.close();
      shutDown(workers);
      await ended.finally(() => clearTimeout(timer));
    },
  };
}

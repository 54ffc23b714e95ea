import { isGrpcServiceError, type Client } from "@temporalio/client";
import type { Worker } from "@temporalio/worker";

import type { Config } from "../config/config.ts";
import { ConfigError, messageOf, TemporalUnreachableError } from "../errors.ts";
import { folderName } from "../staging/host-id.ts";
import type { Beat } from "../state/contract/runs/hosts.ts";
// What workers report about themselves: which store they work on, which Temporal they poll, and that they live.
import { hostBeatMs } from "../state/limits.ts";
import type { StateStore } from "../state/state-store.ts";
import { version } from "../version.ts";
import { isProcessGone, processName } from "./process-identity.ts";

/** How long a server may take to identify itself and its pollers. */
const askMsMax = 10_000;

/** Replaces the host in process names given to Temporal: a copied state folder has the host id of the original. */
const anyHost = "-";

/** A store as workers name it to Temporal. `folder`: the state folder that it is in; undefined for one in Postgres. */
export type StorePlace = { readonly storeId: string; readonly folder: string | undefined };

/** How a worker names itself to Temporal: its process, its store and where that is. */
export function workerIdentity({ storeId, folder }: StorePlace): string {
  const name = processName(anyHost).replaceAll(" ", ",");
  const place = folder === undefined ? "" : ` as=${name} in=${folderName(folder)}`;
  return `${process.pid}${place} store=${storeId}`;
}

/** Whether a worker of this identity works on a copy of a store, in another folder, and its process is running. */
function isOfCopy(identity: string, { storeId, folder }: StorePlace): boolean {
  const [, name, place] = / as=(\S+) in=(\S+) store=/.exec(identity) ?? [];
  if (folder === undefined || name === undefined || workerStore(identity) !== storeId) return false;
  // A process that is gone may have worked in this very folder, before it was moved or restored.
  const isThere = isProcessGone(name.replaceAll(",", " "), anyHost) === false;
  return isThere && place !== folderName(folder);
}

/** The store that a worker of this identity works on; undefined for one that is not ours. */
function workerStore(identity: string): string | undefined {
  return / store=(\S+)$/.exec(identity)?.[1];
}

/** A poll is held for a minute at most: a worker that has not polled for longer is gone, though listed for five. */
const pollMsMax = 70_000;

/** A task queue to look at, and when. */
export type QueueNow = {
  readonly taskQueue: string;
  /** Unix ms, compared with Temporal's clock. @default this host's clock, right for a Temporal on the same host */
  readonly nowMs?: number | undefined;
};

/** The task queue of a project, now by the store's clock: the clocks of hosts may be hours off. */
export function queueNow(
  { temporal }: Pick<Config, "temporal">,
  state: Pick<StateStore, "now">,
): QueueNow {
  return { taskQueue: temporal.taskQueue, nowMs: state.now() };
}

/**
 * Asks a server something that it answers at once when healthy: one that hangs must not hold up a command for a minute.
 * @throws {TemporalUnreachableError} it answers with an error, or not in time.
 */
async function asked<Answer>(client: Client, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await client.withDeadline(Date.now() + askMsMax, ask);
  } catch (error) {
    throw new TemporalUnreachableError(`Temporal does not answer: ${messageOf(error)}`, {
      cause: error,
      hint: "check TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE, and whether that server is healthy",
    });
  }
}

/**
 * The stores of the workers that poll a queue; a worker that is not one of ours has none.
 * @throws {TemporalUnreachableError}
 */
export async function storesOn(client: Client, queue: QueueNow): Promise<(string | undefined)[]> {
  return (await identitiesOn(client, queue)).map(workerStore);
}

/** How the workers that poll a queue name themselves. */
async function identitiesOn(
  client: Client,
  { taskQueue, nowMs = Date.now() }: QueueNow,
): Promise<string[]> {
  const { namespace } = client.options;
  const queue = { namespace, taskQueue: { name: taskQueue }, taskQueueType: 1 };
  const { pollers } = await asked(
    client,
    async () => await client.workflowService.describeTaskQueue(queue),
  );
  const since = nowMs - pollMsMax;
  return (pollers ?? [])
    .filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 >= since)
    .map(({ identity }) => identity ?? "");
}

/** Where a project keeps its store. */
export function storePlace(
  { store, stateFolder }: Pick<Config, "stateFolder" | "store">,
  { storeId }: Pick<StateStore, "storeId">,
): StorePlace {
  return { storeId, folder: store === undefined ? stateFolder : undefined };
}

/** The gRPC code for something that does not exist. */
const notFoundCode = 5;

/** The error if a server lacks the client's namespace; undefined if it has it, or does not say. */
export async function whyNoNamespace(
  client: Client,
): Promise<TemporalUnreachableError | undefined> {
  const { namespace } = client.options;
  try {
    await client.workflowService.describeNamespace({ namespace });
    return undefined;
  } catch (error) {
    const code: number | undefined = isGrpcServiceError(error) ? error.code : undefined;
    if (code !== notFoundCode) return undefined;
    return new TemporalUnreachableError(`Temporal has no namespace "${namespace}"`, {
      cause: error,
      hint: "check TEMPORAL_NAMESPACE, and TEMPORAL_ADDRESS",
    });
  }
}

/** Names the cluster and namespace of a client: two servers may both know a workflow with the same id. */
export async function temporalIdOf(client: Client): Promise<string> {
  const { clusterId } = await asked(
    client,
    async () => await client.workflowService.getClusterInfo({}),
  );
  return `${clusterId} ${client.options.namespace}`;
}

/**
 * Checks whether a worker of a copied state folder polls a queue: the copy has the store's id, and would take its runs.
 * @throws {ConfigError} one does, on this machine.
 */
export async function refuseCopiedStore(
  client: Client,
  queue: QueueNow,
  place: StorePlace,
): Promise<void> {
  refuseCopy(await identitiesOn(client, queue), queue.taskQueue, place);
}

function refuseCopy(identities: readonly string[], taskQueue: string, place: StorePlace): void {
  const copy = identities.find((found) => isOfCopy(found, place));
  if (copy === undefined) return;
  throw new ConfigError(
    `a worker (process ${copy.split(" ", 1).join("")}) of a copy of this project, whose state folder is another than ` +
      `${place.folder}, polls the task queue ${taskQueue}`,
    {
      field: "temporal.task_queue",
      hint: "give one of the two a `temporal.task_queue` of its own, or stop it: each would take the other's runs",
    },
  );
}

/**
 * Checks who else polls a worker's queue: two stores on one queue would each hold half of the facts about a run.
 * @throws {ConfigError} a worker of another store, or of a copy of this one, polls the queue.
 */
export async function refuseOtherStore(
  client: Client,
  queue: QueueNow,
  place: StorePlace,
): Promise<void> {
  const { storeId } = place;
  const { taskQueue } = queue;
  const identities = await identitiesOn(client, queue);
  refuseCopy(identities, taskQueue, place);
  const other = identities
    .map(workerStore)
    .find((store) => store !== undefined && store !== storeId);
  if (other === undefined) return;
  throw new ConfigError(
    `a worker of another project (state store ${other}) polls the task queue ${taskQueue}, or did a minute ago`,
    {
      field: "temporal.task_queue",
      hint: "give each project a `temporal.task_queue` of its own, or stop that worker",
    },
  );
}

/**
 * Records in the store every `hostBeatMs` that this worker lives, until `stop`. Once Temporal has not answered for
 * `silentMsMax`, records it as working with no configuration, because no work reaches it. `refused` resolves when the
 * store no longer takes this worker, because it was migrated or moved while nobody heard from this worker: a person
 * must act, and any work it takes until then fails.
 */
export async function startBeating(
  deps: Pick<Beat, "command" | "configs" | "folder" | "hostId" | "temporalId"> & {
    readonly state: Pick<StateStore, "beat" | "stopBeating">;
    readonly now: () => number;
    /** Asks Temporal something that it answers at once. */
    readonly askTemporal: () => Promise<unknown>;
    readonly silentMsMax: number;
  },
): Promise<{ readonly refused: Promise<ConfigError>; readonly stop: () => Promise<void> }> {
  const { state, hostId, temporalId, command, folder, now, askTemporal, silentMsMax } = deps;
  const name = processName(hostId);
  const pid = String(process.pid);
  const worker = { hostId, process: pid, temporalId, version, name, command, folder };
  let answeredAt = performance.now();
  const ask = async (): Promise<void> => {
    await askTemporal();
    answeredAt = performance.now();
  };
  const beat = async (): Promise<void> => {
    const configs = performance.now() - answeredAt > silentMsMax ? {} : deps.configs;
    await state.beat({ ...worker, configs, lastBeat: now() });
  };
  await beat();
  let last: Promise<void> | undefined;
  const { promise: refused, resolve } = Promise.withResolvers<ConfigError>();
  const timer = setInterval(() => {
    // It may answer the next time.
    void ask().catch(() => undefined);
    last = beat().catch((error: unknown) => {
      // After a beat that the store could not take, the next one follows.
      if (error instanceof ConfigError && error.field === "store") resolve(error);
    });
  }, hostBeatMs);
  return {
    refused,
    stop: async () => {
      clearInterval(timer);
      // A beat still on its way would be written after this, and the worker would seem to live on.
      await last;
      await state.stopBeating(worker).catch(() => undefined);
    },
  };
}

/** Makes workers take no more work. */
export function shutDown(workers: readonly Pick<Worker, "getState" | "shutdown">[]): void {
  for (const worker of workers) if (worker.getState() === "RUNNING") worker.shutdown();
}

/**
 * Polls until all workers have ended. Shuts them down itself if one of them breaks, or if the store no longer takes
 * this worker.
 * @throws {ConfigError} the store no longer takes it; says why. @throws what broke a worker, once all have ended.
 */
export async function runWorkers(
  workers: readonly Pick<Worker, "getState" | "run" | "shutdown">[],
  { refused, cutOff }: { readonly refused: Promise<ConfigError>; readonly cutOff: AbortController },
): Promise<void> {
  let refusal: ConfigError | undefined;
  const whenRefused = async (): Promise<void> => {
    refusal = await refused;
    shutDown(workers);
    cutOff.abort();
  };
  void whenRefused();
  const run = async (worker: Pick<Worker, "run">): Promise<void> => {
    try {
      await worker.run();
    } catch (error) {
      // Half a worker would take work that it cannot do, and keep the process from ending.
      shutDown(workers);
      cutOff.abort();
      throw error;
    }
  };
  const ends = await Promise.allSettled(workers.map(run));
  if (refusal !== undefined) throw refusal;
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

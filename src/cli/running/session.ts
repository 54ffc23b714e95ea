import { setTimeout as delay } from "node:timers/promises";

import type { Config } from "../../config/config.ts";
import { ConfigError, RateLimitedError, TemporalUnreachableError } from "../../errors.ts";
import { isLasting, type Runnable } from "../../hosts/live-workers.ts";
import { refuseOtherTemporal } from "../../hosts/store-guards.ts";
import { connectTemporal, type TemporalClient } from "../../local/connect.ts";
import {
  queueNow,
  refuseCopiedStore,
  storePlace,
  storesOn,
  temporalIdOf,
} from "../../local/presence.ts";
import type { ServiceAddresses } from "../../service/client.ts";
import { openStateStore } from "../../state/open.ts";
import type { StateStore } from "../../state/state-store.ts";
import { workerWaitMs } from "../limits.ts";
import type { Context } from "../output/context.ts";
import { outliveReader } from "../output/output.ts";
import { pingService } from "../project/ping.ts";
import { needRightWorkers, standIn, workersAt } from "./right-worker.ts";
import {
  isTemporalThere,
  useEmbeddedTemporal,
  useService,
  useTemporal,
  type TemporalUse,
} from "./services.ts";
import { workHere } from "./work-here.ts";

/** Everything a run needs, found or started. */
export type CliSession = TemporalClient & {
  readonly config: Config;
  readonly state: StateStore;
  readonly temporal: TemporalUse;
  /** Whether a worker polls besides the one that this command may have started. */
  readonly hasOtherWorker: boolean;
  /** Whether one of them continues when this command ends. */
  readonly hasLastingWorker: boolean;
  /** Stops whatever was started here, unless another command still uses it. */
  readonly close: () => Promise<void>;
};

async function hasWorkerAt(
  { address }: TemporalUse,
  { temporal }: Config,
  storeId: string,
): Promise<boolean> {
  try {
    const client = await connectTemporal(address);
    try {
      return (await storesOn(client.client, temporal)).includes(storeId);
    } finally {
      await client.close();
    }
  } catch (error) {
    if (error instanceof TemporalUnreachableError) return false;
    throw error;
  }
}

/** The Temporal that `useTemporal` found, unless it only happens to listen and has no worker of this project. */
async function meantTemporal(
  found: TemporalUse,
  of: { readonly config: Config; readonly context: Context; readonly storeId: string },
): Promise<TemporalUse> {
  if (!found.isFound) return found;
  const { config, context, storeId } = of;
  // It may be another project's embedded one, and stop at any time, or hang since its files were removed.
  if (await hasWorkerAt(found, config, storeId)) return found;
  context.detail?.(`the Temporal at ${found.address} has no worker of this project`);
  return await useEmbeddedTemporal(config, context);
}

/** The Temporal that a session uses. */
export async function temporalFor(
  config: Config,
  context: Context,
  storeId: string,
): Promise<TemporalUse> {
  return await meantTemporal(await useTemporal(config, context), { config, context, storeId });
}

/** How often to look for a missing worker. */
const lookEveryMs = 1_000;

/**
 * Waits until a worker of this store polls the queue.
 * @throws {TemporalUnreachableError} none does within `workerWaitMs`. @throws {ConfigError} another project's
 * worker does.
 */
async function waitForWorker(
  client: TemporalClient,
  how: {
    readonly config: Config;
    readonly state: StateStore;
    readonly context: Context;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { config, state, context, signal } = how;
  const { taskQueue } = config.temporal;
  const giveUpAt = Date.now() + workerWaitMs;
  for (let asked = 0; ; asked++) {
    const stores = await storesOn(client.client, queueNow(config, state));
    if (stores.includes(state.storeId)) return;
    if (stores.length > 0 && asked > 0) {
      throw new ConfigError(
        `a worker of another project (state store ${stores[0] ?? "unknown"}) polls the task queue ${taskQueue}`,
        {
          field: "temporal.task_queue",
          hint: "give each project its own temporal.task_queue, or stop that worker",
        },
      );
    }
    if (Date.now() > giveUpAt) {
      throw new TemporalUnreachableError(
        `no worker polls the task queue ${taskQueue} for ${workerWaitMs / 1_000} s`,
        { hint: "start one with `sluice worker`, or everything with `sluice dev`" },
      );
    }
    if (asked === 0) context.say(`waiting for a worker on the task queue ${taskQueue}`);
    await delay(lookEveryMs, undefined, { signal });
  }
}

/** How a session is opened. */
type Opening = {
  /** Stops the opening when it aborts. */
  readonly signal: AbortSignal;
  /** Whether the service and the key must work; for a run that is to stop, they need not. @default true */
  readonly isPinged?: boolean;
  /** What is to run: no worker may have another configuration of it. @default nothing new begins */
  readonly wanted?: readonly Runnable[] | undefined;
  /** The command that was typed, by which a worker that is started here names itself. */
  readonly command: string;
};

/** For work that begins now and is awaited later: until then, nobody has to handle its failure. */
function begun<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => undefined);
  return work;
}

/** Pings the service. If it asks to wait, the run does that: durably, and where everybody sees it. */
async function ping(config: Config, how: Parameters<typeof pingService>[1]): Promise<void> {
  try {
    await pingService(config, how);
  } catch (error) {
    if (!(error instanceof RateLimitedError)) throw error;
    how.context.say(`${error.message}: the run waits for it`);
  }
}

/** The parts of a session, before anybody looks for workers. */
type Parts = {
  readonly addresses: ServiceAddresses;
  readonly state: StateStore;
  readonly temporal: TemporalUse;
};

/**
 * Finds or starts the service, opens the store, pings the service, and finds or starts Temporal. Whatever only has to
 * be found is looked for at the same time; a Temporal is started once the rest works.
 */
async function openParts(
  config: Config,
  context: Context,
  how: {
    readonly signal: AbortSignal;
    readonly isPinged: boolean;
    readonly closing: (() => Promise<void>)[];
  },
): Promise<Parts> {
  const { signal, isPinged, closing } = how;
  const using = begun(useService(config, context));
  closing.push(async () => await (await using).release());
  const opening = begun(openStateStore(config));
  closing.push(async () => await (await opening).close());
  const finding = isTemporalThere(config, context)
    ? begun(useTemporal(config, context))
    : undefined;
  if (finding !== undefined) closing.push(async () => await (await finding).release());
  const { addresses } = await using;
  signal.throwIfAborted();
  const state = await opening;
  if (isPinged && config.api.legacyBaseUrl !== undefined) {
    await ping(config, { addresses, state, context });
  }
  const found = await (finding ?? useTemporal(config, context));
  if (finding === undefined) closing.push(async () => await found.release());
  const temporal = await meantTemporal(found, { config, context, storeId: state.storeId });
  if (temporal !== found) closing.push(async () => await temporal.release());
  signal.throwIfAborted();
  return { addresses, state, temporal };
}

/**
 * Finds or starts the service, Temporal and a worker, and pings the service; undefined if `signal` aborts first.
 * @throws {ApiAuthError} @throws {ApiUnavailableError} @throws {TemporalUnreachableError} @throws {ConfigChangedError}
 * a worker has another configuration. Each leaves nothing running.
 */
export async function openSession(
  config: Config,
  context: Context,
  { signal, isPinged = true, wanted = [], command }: Opening,
): Promise<CliSession | undefined> {
  // What was started here is stopped at the end, and the syncs that follow run, whoever reads the report.
  outliveReader();
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    const steps = closing.splice(0).toReversed();
    const failed: unknown[] = [];
    // A step that fails does not keep the others from being taken.
    for (const step of steps) await step().catch((error: unknown) => failed.push(error));
    if (failed.length > 0) throw failed[0];
  };
  try {
    const parts = await openParts(config, context, { signal, isPinged, closing });
    const { state, temporal, addresses } = parts;
    const client = await connectTemporal(temporal.address);
    closing.push(async () => await client.close());
    const at = { config, state, temporalId: await temporalIdOf(client.client) };
    await refuseOtherTemporal(config, { ...at, address: temporal.address });
    await refuseCopiedStore(client.client, queueNow(config, state), storePlace(config, state));
    if (!temporal.isEmbedded) await waitForWorker(client, { config, state, context, signal });
    for (const one of wanted) await needRightWorkers(at, one, { context, signal });
    const workers = await workersAt(at);
    const hasLastingWorker = !temporal.isEmbedded || workers.some(isLasting);
    const hasOtherWorker = hasLastingWorker || workers.length > 0;
    // Nobody said where the work is done, so it is done here, unless a worker that lasts does it.
    if (temporal.isEmbedded) {
      const here = { addresses, temporalAddress: temporal.address, context, command, state };
      const start = async (): Promise<() => Promise<void>> => await workHere(config, here);
      const stop = hasLastingWorker ? await standIn(at, start) : await start();
      closing.push(stop);
    }
    // Nothing begins for somebody who has asked to stop while this was opened.
    signal.throwIfAborted();
    return {
      config,
      state,
      temporal,
      hasOtherWorker,
      hasLastingWorker,
      client: client.client,
      close,
    };
  } catch (error) {
    // Whatever cannot be closed now failed for the reason that is reported anyway.
    await close().catch(() => undefined);
    if (signal.aborted) return undefined;
    throw error;
  }
}

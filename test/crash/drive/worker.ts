import { join } from "node:path";

import type { Dependencies } from "../../../activities/dependencies.ts";
import { sources } from "../../../connectors/registry.ts";
import { createApiClient } from "../../../src/api/client.ts";
import { systemClock } from "../../../src/clock.ts";
import { targetOf } from "../../../src/config/config.ts";
import { loadConfig } from "../../../src/config/load.ts";
import type { Effect } from "../../../src/effect.ts";
import { isProcessGone, processName } from "../../../src/local/process-identity.ts";
import { createNotifier } from "../../../src/notify/notifier.ts";
import { StoreRateLimiter } from "../../../src/service/rate-limiter.ts";
import { stageInline } from "../../support/project/inline-threads.ts";
import { Journal } from "../journal.ts";
import { openStoreAt, type StorePlace } from "./store-place.ts";

/** The key that crash points send with. */
export const crashKey = "canary-crash-key";

const hostId = "host-1";

/** The name of a process that no other process considers alive: none with its number began at that time. */
export const deadProcess = processName(hostId).replace(/ \S+$/, " 1");

/** What a worker is made of here. */
export type WorkerParts = {
  /** Folder of the project, with its `sluice.yaml`. */
  readonly folder: string;
  /** The sandbox's address. */
  readonly address: string;
  readonly effect: Effect;
  /** Where its state is. @default a file in the folder */
  readonly store?: StorePlace | undefined;
  /** The name of its process. @default this process */
  readonly process?: string;
};

/** The journal in the folder of a project. */
export function journalIn(folder: string): Journal {
  return new Journal(join(folder, "journal.jsonl"));
}

/**
 * The dependencies of a worker's activities, all in this thread, so that `effect` sees the staging too. The caller
 * closes it.
 */
export async function openWorker({
  folder,
  address,
  effect,
  store,
  process = processName(hostId),
}: WorkerParts): Promise<Dependencies & { close(): Promise<void> }> {
  // Checkpoints belong to a service by its address, and each copy of the sandbox has another one: the store sees none.
  const env = { SLUICE_BASE_URL: "sandbox", SLUICE_API_KEY: crashKey };
  const config = await loadConfig({ cwd: folder, env, connectors: sources });
  const state = await openStoreAt(store ?? { stateFolder: config.stateFolder }, effect);
  const { apiKey, requestsPerSecond, creditsRetryAfterMs, allowInsecureHosts } = config.api;
  const rateLimiter = new StoreRateLimiter({
    state,
    apiKey,
    requestsPerSecond,
    creditsRetryAfterMs,
  });
  const [baseUrl, legacyBaseUrl] = [new URL(address), new URL(address)];
  const api = createApiClient({
    baseUrl,
    legacyBaseUrl,
    apiKey,
    allowInsecureHosts,
    rateLimiter,
    effect,
  });
  const notifier = createNotifier({ allowInsecureHosts, proxy: undefined });
  return {
    config,
    target: targetOf(config.api),
    state,
    api,
    sources,
    stageThreads: stageInline(state, effect),
    effect,
    stagingFolder: join(config.stateFolder, "staging"),
    hostId,
    process,
    isProcessGone: (name) => isProcessGone(name, hostId),
    unnotedEnds: new Map(),
    hostQueue: "sluice-host-1",
    temporalId: "temporal default",
    isWorkflowOpen: async () => true,
    notifier,
    startNotifying: async () => undefined,
    startResend: async () => undefined,
    scheduleState: async () => ({ kind: "unknown" }),
    now: Date.now,
    clock: systemClock(),
    log: { info: () => undefined, warn: () => undefined },
    close: async () => {
      await api.close();
      await notifier.close();
      await state.close();
    },
  };
}

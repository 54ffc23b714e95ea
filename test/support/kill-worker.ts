import { join } from "node:path";

import type { Dependencies } from "../../activities/dependencies.ts";
import { sources } from "../../connectors/registry.ts";
import { createApiClient } from "../../src/api/client.ts";
import { systemClock } from "../../src/clock.ts";
import { targetOf } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { Effect } from "../../src/effect.ts";
import { isProcessGone, processName } from "../../src/local/process-identity.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import { createStorePace } from "../../src/pace.ts";
import { openStoreInline, stageInline } from "./inline-threads.ts";

/** The key that crash points send with. */
export const crashKey = "canary-crash-key";

/** What a worker is made of here. */
export type WorkerParts = {
  /** Folder of the project, with its `sluice.yaml`. */
  readonly folder: string;
  /** The sandbox's. */
  readonly address: string;
  readonly effect: Effect;
};

/**
 * What a worker's activities work with, all of it in this thread, so that `effect` sees the staging too. Whoever opens it
 * closes it.
 */
export async function openWorker({
  folder,
  address,
  effect,
}: WorkerParts): Promise<Dependencies & { close(): Promise<void> }> {
  const env = { SLUICE_BASE_URL: address, SLUICE_API_KEY: crashKey };
  const config = await loadConfig({ cwd: folder, env, connectors: sources });
  const state = await openStoreInline(config.stateFolder, effect);
  const { apiKey, requestsPerSecond, creditsRetryMs, allowInsecureHosts } = config.api;
  const pace = createStorePace({ state, apiKey, requestsPerSecond, creditsRetryMs });
  const [baseUrl, legacyBaseUrl] = [new URL(address), new URL(address)];
  const api = createApiClient({ baseUrl, legacyBaseUrl, apiKey, allowInsecureHosts, pace, effect });
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
    hostId: "host-1",
    process: processName("host-1"),
    isProcessGone: (name) => isProcessGone(name, "host-1"),
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

import { once } from "node:events";
import { Worker } from "node:worker_threads";

import { z } from "zod";

import type { Sandbox, SandboxSettings } from "./http/server.ts";
import { youngGenerationMegabytesMax } from "./limits.ts";

/** The thread's message once it listens. */
export type Listening = { readonly address: string };

const messages = z.tuple([z.object({ address: z.string() })]);

/**
 * Starts a sandbox in its own thread, as the commands do: a large upload then delays nothing else in the process, and
 * does not take more memory the longer it lasts. V8 enlarges a heap's young generation by everything that ever survived
 * in it, and only a thread's can be bounded: without a bound, 1 GB took 159 MB of RSS, and 2 GB took more. Faults come
 * only from the settings.
 * @throws what `startSandbox` throws.
 */
export async function startSandboxThread(
  settings: SandboxSettings,
): Promise<Pick<Sandbox, "address" | "close">> {
  // A file next to this one: TypeScript when run from source, JavaScript when built.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const thread = new Worker(new URL(`./thread-main.${extension}`, import.meta.url), {
    workerData: settings,
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMegabytesMax },
  });
  const { address } = messages.parse(await once(thread, "message"))[0];
  const close = async (): Promise<void> => {
    const ended = once(thread, "exit");
    thread.postMessage("close");
    await ended;
  };
  return { address, close };
}

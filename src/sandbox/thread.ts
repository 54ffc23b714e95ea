import { once } from "node:events";
import { Worker } from "node:worker_threads";

import { z } from "zod";

import type { Sandbox, SandboxSettings } from "./http/server.ts";
import { youngGenerationMegabytesMax } from "./limits.ts";

/** What the thread tells once it listens. */
export type Listening = { readonly address: string };

const messages = z.tuple([z.object({ address: z.string() })]);

/**
 * Starts a sandbox in a thread of its own, which is how a command runs it: a large upload then holds up
 * nothing else in the process, and takes no more memory the longer it lasts. V8 enlarges a heap's young
 * generation by all that ever survived in it, and only a thread's can be bounded: without that, 1 GB took 159
 * MB of RSS, and 2 GB more. Faults are those of the settings.
 * @throws what `startSandbox` throws.
 */
export async function startSandboxThread(
  settings: SandboxSettings,
): Promise<Pick<Sandbox, "address" | "close">> {
  // A file beside this one: TypeScript when run from source, JavaScript when built.
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

// A thread that stages chunks: no amount of parsing and deflating holds up heartbeats.
import { MessagePort, parentPort, workerData } from "node:worker_threads";

import { z } from "zod";

import { sourceNamed } from "../../connectors/registry.ts";
import { runEffect } from "../../src/effect.ts";
import { unpackSecrets } from "../../src/security/secret.ts";
import { stateOnPort } from "../../src/state/port.ts";
import { packError } from "../../src/thread.ts";
import type { StageJob } from "./stage-job.ts";
import { stageLine } from "./stage-line.ts";
import type { StageReply } from "./stage-threads.ts";

const { statePort } = z.object({ statePort: z.instanceof(MessagePort) }).parse(workerData);
const state = stateOnPort(statePort);
let aborting = new AbortController();

/** How often a job reports progress: each page would wake the main thread, which passes on only the latest report. */
const progressMs = 100;

async function stage(packed: StageJob): Promise<StageReply> {
  aborting = new AbortController();
  const { connector, folder = "." } = packed;
  const job = { ...packed, config: unpackSecrets(packed.config) };
  let tellAt = 0;
  try {
    const staged = await stageLine(job, {
      // Each thread has its own copy of a module, so this one has its own source.
      source: await sourceNamed({ connector, folder }),
      state,
      effect: runEffect,
      signal: aborting.signal,
      progress: (counts) => {
        if (performance.now() < tellAt) return;
        tellAt = performance.now() + progressMs;
        parentPort?.postMessage({ counts } satisfies StageReply);
      },
    });
    return { staged };
  } catch (error) {
    return { error: packError(error) };
  }
}

parentPort?.on("message", (message: { readonly job: StageJob } | "abort") => {
  if (message === "abort") aborting.abort();
  else void stage(message.job).then((reply) => parentPort?.postMessage(reply));
});

import { Worker } from "node:worker_threads";

import { errorCodeOf, StagingError } from "../../src/errors.ts";
import { packSecrets } from "../../src/security/secret.ts";
import type { StageCounts } from "../../src/state/contract/sends/stagings.ts";
import type { StateStore } from "../../src/state/state-store.ts";
import { threadFile, unpackError, type PackedError } from "../../src/thread.ts";
import { stageThreadHeapMiB, stageThreadYoungMiB } from "../limits.ts";
import type { StageJob } from "./stage-job.ts";
import type { Staged } from "./stage-line.ts";

/** A message from a stage thread. */
export type StageReply =
  | { readonly counts: StageCounts }
  | { readonly staged: Staged }
  | { readonly error: PackedError };

/** Threads that stage chunks, one job per thread. They are kept for the next job, because their code is warm then. */
export interface StageThreads {
  /** @throws what the job threw; StagingError when its thread died. */
  run(
    job: StageJob,
    attempt: { readonly signal: AbortSignal; readonly progress: (facts: object) => void },
  ): Promise<Staged>;
  close(): Promise<void>;
}

/** How long a thread may take to stop by itself. */
const abortGraceMs = 2_000;

function nameOf(error: Error): string {
  const code = errorCodeOf(error);
  const isOfNode = /^ERR_[A-Z_]+$/.test(code);
  return isOfNode ? code : "an error that nothing caught; look for promises in its mapping module";
}

async function runOn(
  thread: Worker,
  job: StageJob,
  { signal, progress }: Parameters<StageThreads["run"]>[1],
): Promise<Staged> {
  let ending: NodeJS.Timeout | undefined;
  const abort = (): void => {
    thread.postMessage("abort");
    // A mapping module that never returns does not hear the message.
    ending = setTimeout(() => void thread.terminate(), abortGraceMs);
  };
  thread.removeAllListeners("error");
  signal.addEventListener("abort", abort, { once: true });
  thread.ref();
  try {
    return await new Promise<Staged>((resolve, reject) => {
      thread.on("message", (reply: StageReply) => {
        if ("counts" in reply) progress(reply.counts);
        else if ("staged" in reply) resolve(reply.staged);
        else reject(unpackError(reply.error));
      });
      const died = (why: string): void =>
        reject(new StagingError(`the thread that staged ${job.file} died: ${why}`));
      // Its message may quote a row, where a mapping module threw it: only Node's own error code is shown.
      thread.once("error", (error: Error) => died(nameOf(error)));
      thread.once("exit", (code) => died(`exit code ${code}`));
      thread.postMessage({ job: { ...job, config: packSecrets(job.config) } });
    });
  } finally {
    signal.removeEventListener("abort", abort);
    clearTimeout(ending);
    for (const event of ["message", "error", "exit"] as const) thread.removeAllListeners(event);
    thread.unref();
  }
}

/** Makes a set of threads on a store; the first `ready` jobs find one with its code loaded. */
export function createStageThreads(
  state: Pick<StateStore, "openPort">,
  { ready = 0 } = {},
): StageThreads {
  const idle: Worker[] = [];
  const start = (): Worker => {
    const statePort = state.openPort();
    return new Worker(threadFile("stage-thread", import.meta.url), {
      workerData: { statePort },
      transferList: [statePort],
      resourceLimits: {
        maxOldGenerationSizeMb: stageThreadHeapMiB,
        maxYoungGenerationSizeMb: stageThreadYoungMiB,
      },
    });
  };
  /** Leftovers of a mapping module may still fail or exit in an idle thread: that ends it, never the process. */
  const rest = (thread: Worker): void => {
    idle.push(thread);
    const drop = (): void => {
      const at = idle.indexOf(thread);
      if (at !== -1) idle.splice(at, 1);
    };
    thread.once("error", drop);
    thread.once("exit", drop);
  };
  for (let started = 0; started < ready; started++) {
    const thread = start();
    thread.unref();
    rest(thread);
  }
  return {
    run: async (job, attempt) => {
      // An abort before anybody listens would never be heard.
      attempt.signal.throwIfAborted();
      const thread = idle.pop() ?? start();
      try {
        const staged = await runOn(thread, job, attempt);
        rest(thread);
        return staged;
      } catch (error) {
        // A thread whose job failed may still be winding up: the next job gets a new one.
        await thread.terminate();
        throw error;
      }
    },
    close: async () => {
      await Promise.all(idle.splice(0).map(async (thread) => await thread.terminate()));
    },
  };
}

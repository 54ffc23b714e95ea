import { setFlagsFromString } from "node:v8";

import { readEnvironment } from "../../config/environment.ts";
import { ConfigError } from "../../errors.ts";
import type { Traces } from "../../local/traces.ts";
import type { RunningWorker, WorkerSettings } from "../../worker.ts";

/**
 * Sizes V8's heaps for a process in which rows move: the young generations of its threads have 4 MB. With the 1 MB that
 * they begin with by default a first load of 485,208 rows collects 850 times, and takes 1.05 times as much processor
 * time; and V8 enlarges one by all that ever survived in it, which five isolates in a worker add up. Before the threads
 * start. Only flags that are not part of the hash by which V8 tells whether compiled code fits: with any other one,
 * such as --semi-space-growth-factor, a thread compiles Node's own modules anew, in 35 ms. Not --optimize-for-size: it
 * saved 22 MB of 382 and cost half as much again. Not --initial-old-space-size, which saves a little more: each thread
 * of a worker would keep garbage up to it.
 */
export function sizeHeaps(): void {
  setFlagsFromString("--min-semi-space-size=4");
  setFlagsFromString("--max-semi-space-size=4");
}

/** Traces what the worker does, where a collector is named; its code is loaded only then. */
async function tracesAsked(): Promise<Traces | undefined> {
  const { otlpEndpoint } = readEnvironment();
  if (otlpEndpoint === undefined) return undefined;
  if (!/^https?:$/.test(URL.parse(otlpEndpoint)?.protocol ?? "")) {
    throw new ConfigError("OTEL_EXPORTER_OTLP_ENDPOINT must be the address of a collector", {
      field: "OTEL_EXPORTER_OTLP_ENDPOINT",
      hint: "such as http://127.0.0.1:4318; without it nothing is traced",
    });
  }
  const { startTraces } = await import("../../local/traces.ts");
  return startTraces();
}

/**
 * Starts a worker in this process, as `startWorker`. Temporal's worker is loaded only here: it takes a tenth
 * of a second, and most commands start none.
 * @throws {ConfigError} OTEL_EXPORTER_OTLP_ENDPOINT is no address; and what `startWorker` throws.
 */
export async function startWorkerHere(
  settings: Omit<WorkerSettings, "traces">,
): Promise<RunningWorker> {
  sizeHeaps();
  const traces = await tracesAsked();
  const { startWorker } = await import("../../worker.ts");
  return await startWorker({ ...settings, traces });
}

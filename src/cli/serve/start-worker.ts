import { readEnvironment } from "../../config/environment.ts";
import { ConfigError } from "../../errors.ts";
import type { Traces } from "../../local/traces.ts";
import type { RunningWorker, WorkerSettings } from "../../worker.ts";

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
  const traces = await tracesAsked();
  const { startWorker } = await import("../../worker.ts");
  return await startWorker({ ...settings, traces });
}

import type { Logger } from "pino";

import type { ApiConfig } from "../../config/config.ts";
import { readEnvironment } from "../../config/environment.ts";
import { ConfigError } from "../../errors.ts";
import type { Traces } from "../../local/traces.ts";
import type { RunningWorker, WorkerSettings } from "../../worker.ts";

/** Starts tracing the worker if a collector is named; the code for that is loaded only then. */
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
 * Says where a worker sends records. Without an address in the environment, a configuration of `sluice init` means the
 * sandbox, whose runs look just as well as those of the service.
 */
export function logService({ baseUrl }: ApiConfig, log: Logger): void {
  if (baseUrl === "sandbox") {
    log.warn(
      "records go to a sandbox on this machine, not to the service: api.base_url is `sandbox`",
    );
  } else {
    log.info(`records go to ${baseUrl.origin}`);
  }
}

/**
 * Starts a worker in this process, as `startWorker` does. Temporal's worker is loaded only here: that takes a tenth of
 * a second, and most commands start no worker.
 * @throws {ConfigError} OTEL_EXPORTER_OTLP_ENDPOINT is not an address; and what `startWorker` throws.
 */
export async function startWorkerHere(
  settings: Omit<WorkerSettings, "traces">,
): Promise<RunningWorker> {
  const traces = await tracesAsked();
  const { startWorker } = await import("../../worker.ts");
  return await startWorker({ ...settings, traces });
}

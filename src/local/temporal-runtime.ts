import { DefaultLogger, makeTelemetryFilterString, Runtime } from "@temporalio/worker";
import type { Logger } from "pino";

import { ConfigError, messageOf } from "../errors.ts";

let isInstalled = false;

/**
 * Forwards Temporal's own log lines to ours, and serves its worker metrics: once a process, before any other use of
 * Temporal.
 * @throws {ConfigError} it cannot listen there.
 */
export function installRuntime(
  log: Logger,
  /** Where Prometheus scrapes those metrics; undefined makes none. */
  metrics?: { readonly host: string; readonly port: number },
): void {
  if (isInstalled) return;
  isInstalled = true;
  const logger = new DefaultLogger("WARN", ({ level, message, meta }) => {
    // The host's worker runs only activities, as intended.
    if (message.startsWith("No workflows registered")) return;
    const { workflowId, activityType, attempt, error }: Record<string, unknown> = meta ?? {};
    const facts = { workflowId, activityType, attempt };
    // The message of every failure of ours is fit to be shown; whatever a library attaches to it is ignored.
    const text = error instanceof Error ? `${message}: ${error.message}` : message;
    if (level === "ERROR") log.error(facts, text);
    else log.warn(facts, text);
  });
  const filter = makeTelemetryFilterString({ core: "ERROR", other: "ERROR" });
  const telemetryOptions = { logging: { forward: {}, filter } };
  if (metrics === undefined) {
    Runtime.install({ logger, telemetryOptions });
    return;
  }
  const { host, port } = metrics;
  const bindAddress = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const names = { countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true };
  try {
    const prometheus = { bindAddress, ...names };
    Runtime.install({
      logger,
      telemetryOptions: { ...telemetryOptions, metrics: { prometheus } },
    });
  } catch (error) {
    throw new ConfigError(
      `Temporal's metrics cannot be served at ${bindAddress}: ${messageOf(error)}`,
      {
        cause: error,
        hint: "give --temporal-metrics an IP address and a port that nobody listens at",
      },
    );
  }
}

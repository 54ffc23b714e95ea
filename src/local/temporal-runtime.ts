import { DefaultLogger, makeTelemetryFilterString, Runtime } from "@temporalio/worker";
import type { Logger } from "pino";

import { ConfigError, messageOf } from "../errors.ts";

let isInstalled = false;

/**
 * Temporal's own log lines, into ours, and its metrics of workers: once a process, before anything else of Temporal.
 * @throws {ConfigError} it cannot listen there.
 */
export function installRuntime(
  log: Logger,
  /** Where Prometheus reads those metrics; undefined has none made. */
  metrics?: { readonly host: string; readonly port: number },
): void {
  if (isInstalled) return;
  isInstalled = true;
  const logger = new DefaultLogger("WARN", ({ level, message, meta }) => {
    // The host's worker runs activities only, as it should.
    if (message.startsWith("No workflows registered")) return;
    const { workflowId, activityType, attempt, error }: Record<string, unknown> = meta ?? {};
    const facts = { workflowId, activityType, attempt };
    // Every failure of ours is fit to be shown; what a library puts beside it is not looked at.
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

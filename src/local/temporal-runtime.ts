import { DefaultLogger, makeTelemetryFilterString, Runtime } from "@temporalio/worker";
import type { Logger } from "pino";

let isInstalled = false;

/** Temporal's own log lines, into ours: once a process, before anything else of Temporal. */
export function installRuntime(log: Logger): void {
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
  Runtime.install({ logger, telemetryOptions: { logging: { forward: {}, filter } } });
}

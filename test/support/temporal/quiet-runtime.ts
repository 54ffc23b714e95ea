import { DefaultLogger, makeTelemetryFilterString, Runtime } from "@temporalio/worker";

/** A logger that prints nothing. */
export const silent = new DefaultLogger("ERROR", () => undefined);

let isInstalled = false;

/**
 * Keeps what Temporal logs about failing activities out of the tests' output. All tests of a process share
 * the runtime.
 */
export function installQuietRuntime(): void {
  if (isInstalled) return;
  isInstalled = true;
  const filter = makeTelemetryFilterString({ core: "ERROR", other: "ERROR" });
  Runtime.install({ logger: silent, telemetryOptions: { logging: { forward: {}, filter } } });
}

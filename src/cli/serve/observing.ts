import { InvalidArgumentError } from "commander";
import type { Logger } from "pino";

import type { ProcessMetrics } from "../../metrics/process-metrics.ts";
import { startProbes, type ProbeServer } from "../../probes/server.ts";
import { port } from "./temporal.ts";

/** Where something listens. */
export type HttpAddress = { readonly host: string; readonly port: number };

/** Reads an address such as `127.0.0.1:9464` or `[::1]:9464`. @throws {InvalidArgumentError} it is not an address. */
export function httpAddress(text: string): HttpAddress {
  const [, bracketed, plain, number = ""] =
    /^(?:\[([\da-fA-F:.]+)\]|([^:]+)):(\d+)$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) {
    throw new InvalidArgumentError("must be an address and a port, such as 127.0.0.1:9464");
  }
  return { host, port: port(number) };
}

/** The servers that show how a process is. */
export type Observing = { readonly probes: ProbeServer; readonly metrics: ProcessMetrics };

/** Starts the server that answers probes and `/metrics`. @throws {ConfigError} it cannot listen there. */
export async function observeAt(http: HttpAddress, log: Logger): Promise<Observing> {
  // Most processes are not asked, so only this one loads the code that counts.
  const { createProcessMetrics } = await import("../../metrics/process-metrics.ts");
  const metrics = createProcessMetrics();
  const probes = await startProbes({ ...http, metrics: async () => await metrics.answer() });
  log.info(`probes and metrics at ${probes.address.href}livez, readyz and metrics`);
  return { probes, metrics };
}

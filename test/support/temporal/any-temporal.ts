import { findTemporal } from "../../../src/local/find-temporal.ts";
import { startOnPorts } from "../../../src/local/ports.ts";
import { startTemporal, type EmbeddedTemporal } from "../../../src/local/temporal-server.ts";
import { keptPorts } from "../process/kept-ports.ts";

const ip = "127.0.0.1";

/**
 * Starts an embedded Temporal on any free ports, or on others if another test takes one first. Never on the preferred
 * ports: a developer's own server may be there. The caller stops it.
 */
export async function startAnyTemporal(files: {
  readonly logFile: string;
  readonly databaseFile?: string;
}): Promise<EmbeddedTemporal> {
  const binary = await findTemporal({ env: process.env, say: () => undefined });
  return await startOnPorts({
    ip,
    logFile: files.logFile,
    preferred: await keptPorts(2),
    start: async ([port = 0, uiPort = 0]) =>
      await startTemporal({ ...files, binary, ip, ports: { port, uiPort } }),
  });
}

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, isIPv6 } from "node:net";
import { homedir } from "node:os";

import { Connection } from "@temporalio/client";

import { TemporalUnreachableError } from "../errors.ts";
import { startOnPorts } from "./ports.ts";
import { startServer, type ServerProcess } from "./server-process.ts";

/** The ports of an embedded Temporal and of its Web UI. */
export type TemporalPorts = { readonly port: number; readonly uiPort: number };

/** How to start an embedded Temporal. */
export type TemporalOptions = {
  /** Path of the `temporal` program. */
  readonly binary: string;
  /** Where histories are kept; undefined keeps them in memory. */
  readonly databaseFile?: string | undefined;
  /** @default 7233 and 8233, or any two if one of them is taken */
  readonly ports?: TemporalPorts | undefined;
  readonly ip: string;
  /** Takes the server's output; replaced at each start. */
  readonly logFile: string;
  /** Receives the process number before the server is up. */
  readonly spawned?: ((pid: number) => void) | undefined;
};

/** An embedded Temporal that answers. */
export type EmbeddedTemporal = ServerProcess & {
  /** "127.0.0.1:7233" */
  readonly address: string;
  /** "http://127.0.0.1:8233" */
  readonly uiAddress: string;
};

const preferredPorts = [7233, 8233];
const answerMsMax = 2_000;

/** How long a server that cannot get its port may take to notice, if its log does not say that it is up. */
const settleMs = 10_000;

/**
 * Starts Temporal's own development server with its Web UI, and returns once it answers.
 * @throws {TemporalUnreachableError} it does not come up; the message ends with the last lines of its log.
 */
export async function startTemporal(options: TemporalOptions): Promise<EmbeddedTemporal> {
  const { ip, logFile, ports } = options;
  if (ports !== undefined) return await startOn(options, ports);
  return await startOnPorts({
    ip,
    logFile,
    preferred: preferredPorts,
    start: async ([port = 0, uiPort = 0]) => await startOn(options, { port, uiPort }),
  });
}

/** Whether a Temporal server with the namespace `default` answers at `host:port` within two seconds. */
export async function temporalAnswers(address: string): Promise<boolean> {
  // gRPC keeps trying until its deadline; a port that nobody listens on refuses at once.
  if (!(await isListening(address))) return false;
  const connection = Connection.lazy({ address });
  try {
    await connection.withDeadline(
      Date.now() + answerMsMax,
      async () => await connection.workflowService.describeNamespace({ namespace: "default" }),
    );
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

/** Whether something accepts connections at an address; sends nothing to it. */
export async function isListening(address: string): Promise<boolean> {
  const { hostname, port } = new URL(`tcp://${address}`);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(answerMsMax) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function startOn(options: TemporalOptions, ports: TemporalPorts): Promise<EmbeddedTemporal> {
  const host = hostToReach(options.ip);
  const address = `${host}:${ports.port}`;
  const settledAt = Date.now() + settleMs;
  const server = await startServer({
    name: "Temporal",
    command: options.binary,
    args: [
      "server",
      "start-dev",
      `--ip=${options.ip}`,
      `--port=${ports.port}`,
      `--ui-port=${ports.uiPort}`,
      ...(options.databaseFile === undefined ? [] : [`--db-filename=${options.databaseFile}`]),
      "--search-attribute=SluiceSync=Keyword",
      // Priority and fairness between syncs are off by default before server 1.31.
      "--dynamic-config-value=matching.useNewMatcher=true",
      "--dynamic-config-value=matching.enableFairness=true",
      // The clocks of a cluster's hosts may differ, so by default each timer fires up to a second late. Here there
      // is one host.
      '--dynamic-config-value=history.timerProcessorMaxTimeShift="20ms"',
    ],
    env: { HOME: homedir() },
    logFile: options.logFile,
    // An answer alone may come from another server that started at the same moment and took the port first.
    answers: async () =>
      (saysItIsUp(options.logFile) || Date.now() > settledAt) && (await temporalAnswers(address)),
    spawned: options.spawned,
    Failure: TemporalUnreachableError,
  });
  return { ...server, address, uiAddress: `http://${host}:${ports.uiPort}` };
}

/** The server prints its address once it listens. */
function saysItIsUp(logFile: string): boolean {
  return /^Server:/m.test(readFileSync(logFile, "utf8"));
}

/** The host a client on this machine connects to when a server listens on `ip`. */
export function hostToReach(ip: string): string {
  if (ip === "0.0.0.0") return "127.0.0.1";
  if (ip === "::") return "[::1]";
  return isIPv6(ip) ? `[${ip}]` : ip;
}

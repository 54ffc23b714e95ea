import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:net";

import { ConfigError, errorCodeOf, messageOf } from "../errors.ts";

/** A server whose ports we choose. */
export type ServerOnPorts<Started> = {
  readonly ip: string;
  /** The ports it listens on when they are free. */
  readonly preferred: readonly number[];
  /** Takes the server's output, from scratch at each start. */
  readonly logFile: string;
  /** Starts it on as many ports as are preferred; rejects if it does not come up. */
  start(ports: readonly number[]): Promise<Started>;
};

/** Losing a port this often is not bad luck. */
const startsMax = 5;

/**
 * Whether nobody else listens on any of these ports.
 * @throws {ConfigError} this process cannot listen at that address
 */
export async function areFree(ip: string, ports: readonly number[]): Promise<boolean> {
  try {
    await whileListening(ip, ports);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === "EADDRINUSE") return false;
    throw listenFault(ip, error);
  }
}

/**
 * Starts a server on the ports that it prefers, or on others when those are taken, even if another program takes one
 * between our check and the server's start.
 * @throws what `start` throws, if it is not about a port
 * @throws {ConfigError} this process cannot listen at that address
 */
export async function startOnPorts<Started>(server: ServerOnPorts<Started>): Promise<Started> {
  const { ip, preferred, logFile } = server;
  const drawn = async (): Promise<readonly number[]> => await freePorts(ip, preferred.length);
  let ports = (await areFree(ip, preferred)) ? preferred : await drawn();
  for (let starts = 1; ; starts += 1) {
    try {
      return await server.start(ports);
    } catch (error) {
      const isTaken = /address already in use/.test(readFileSync(logFile, "utf8"));
      if (!isTaken || starts === startsMax) throw error;
      ports = await drawn();
    }
  }
}

/** Returns `count` free ports, all different; the operating system does not soon give them to somebody else. */
export async function freePorts(ip: string, count: number): Promise<readonly number[]> {
  try {
    return await whileListening(ip, Array<number>(count).fill(0));
  } catch (error) {
    throw listenFault(ip, error);
  }
}

/** Why no server can listen at an address, as an error of the setting that gives it. */
function listenFault(ip: string, error: unknown): ConfigError {
  return new ConfigError(`servers cannot listen at ${ip}: ${messageOf(error)}`, {
    cause: error,
    field: "SLUICE_HOST",
    hint: "set it to an address of this machine, or unset it for 127.0.0.1",
  });
}

/** Listens on all ports at once, so that no two are the same, then closes and returns them; 0 means any port. */
async function whileListening(ip: string, ports: readonly number[]): Promise<readonly number[]> {
  const servers: Server[] = [];
  try {
    for (const port of ports) {
      const server = createServer().listen({ port, host: ip, exclusive: true });
      await once(server, "listening");
      servers.push(server);
    }
    return servers.map((server) => {
      const address = server.address();
      return address !== null && typeof address === "object" ? address.port : 0;
    });
  } finally {
    for (const server of servers) await once(server.close(), "close");
  }
}

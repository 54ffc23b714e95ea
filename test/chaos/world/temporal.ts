import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { connectTemporal, type TemporalClient } from "../../../src/local/connect.ts";
import { findTemporal } from "../../../src/local/find-temporal.ts";
import { type EmbeddedTemporal, startTemporal } from "../../../src/local/temporal-server.ts";
import { startAnyTemporal } from "../../support/temporal/any-temporal.ts";

const ip = "127.0.0.1";

/** An embedded Temporal and a connection to it. The caller closes it. */
export class TestTemporal {
  readonly client: TemporalClient["client"];
  readonly logFile: string;
  readonly #start: () => Promise<EmbeddedTemporal>;
  readonly #connection: TemporalClient;
  #server: EmbeddedTemporal;

  private constructor(parts: {
    logFile: string;
    start: () => Promise<EmbeddedTemporal>;
    server: EmbeddedTemporal;
    connection: TemporalClient;
  }) {
    this.logFile = parts.logFile;
    this.#start = parts.start;
    this.#server = parts.server;
    this.#connection = parts.connection;
    this.client = parts.connection.client;
  }

  /** Starts one that keeps its histories in a file of `folder`, which survives a kill. */
  static async start(folder: string): Promise<TestTemporal> {
    const binary = await findTemporal({ env: process.env, say: () => undefined });
    const logFile = join(folder, "temporal.log");
    const databaseFile = join(folder, "temporal.db");
    const server = await startAnyTemporal({ logFile, databaseFile });
    const ports = { port: portOf(server.address), uiPort: portOf(server.uiAddress) };
    const start = async (): Promise<EmbeddedTemporal> =>
      await startTemporal({ binary, ip, ports, logFile, databaseFile });
    const connection = await connectTemporal(server.address);
    return new TestTemporal({ logFile, start, server, connection });
  }

  get address(): string {
    return this.#server.address;
  }

  /** The process, for a caller who must make sure that none is left. */
  get pid(): number {
    return this.#server.pid;
  }

  /** Kills it without warning and restarts it, after this long, on the same port and file. */
  async crash(awayMs = 0): Promise<void> {
    process.kill(this.#server.pid, "SIGKILL");
    await delay(awayMs);
    this.#server = await this.#start();
  }

  async close(): Promise<void> {
    await this.#server.stop();
    await this.#connection.close();
  }
}

/** The port at the end of an address, which has no path. */
function portOf(address: string): number {
  return Number(/\d+$/.exec(address)?.[0]);
}

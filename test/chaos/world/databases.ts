import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

import { PostgresCluster, runSql } from "../../support/postgres/postgres-cluster.ts";

/** Two servers with databases for all seeds, started when the first seed needs them. The caller closes them. */
export class Databases {
  #clusters: Promise<readonly [PostgresCluster, PostgresCluster]> | undefined;

  /** A database of this name on each of the two servers, behind one address. */
  async behindOneAddress(name: string): Promise<OneAddress> {
    this.#clusters ??= Promise.all([PostgresCluster.start(), PostgresCluster.start()]);
    const clusters = await this.#clusters;
    await Promise.all(
      clusters.map(async ({ url }) => await runSql(url, `create database "${name}"`)),
    );
    const [first, second] = clusters.map(({ url }) => urlOf(url, name));
    return await OneAddress.open([String(first), String(second)]);
  }

  async close(): Promise<void> {
    const clusters = (await this.#clusters) ?? [];
    await Promise.all(clusters.map(async (cluster) => await cluster.remove()));
  }
}

function urlOf(url: string, database: string): string {
  const own = new URL(url);
  own.pathname = `/${database}`;
  return own.href;
}

/** An address that leads to one of two databases. */
export class OneAddress {
  readonly #urls: readonly [string, string];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #leadsTo: 0 | 1 = 0;

  private constructor(urls: readonly [string, string]) {
    this.#urls = urls;
    this.#server = createServer((socket) => this.#lead(socket));
  }

  static async open(urls: readonly [string, string]): Promise<OneAddress> {
    const address = new OneAddress(urls);
    address.#server.listen(0, "127.0.0.1");
    await once(address.#server, "listening");
    return address;
  }

  /** The `url` for a configuration. */
  get url(): string {
    const own = new URL(this.#urls[0]);
    const at = this.#server.address();
    if (at === null || typeof at === "string") throw new Error("the address has no port");
    own.port = String(at.port);
    return own.href;
  }

  /** Runs statements in the database that the address leads to, and returns the rows of the last one. */
  async query(sql: string): Promise<readonly Record<string, unknown>[]> {
    return await runSql(this.#urls[this.#leadsTo], sql);
  }

  /** Lets the address lead to the first or the second database; sessions of the other one end. */
  leadTo(database: 0 | 1): void {
    this.#leadsTo = database;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.leadTo(0);
    this.#server.close();
    await once(this.#server, "close");
  }

  #lead(socket: Socket): void {
    const { hostname, port } = new URL(this.#urls[this.#leadsTo]);
    const onward = connect(Number(port), hostname);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      this.#sockets.add(one);
      one.pipe(other);
      // When one end breaks it ends the other, which is all that matters here.
      one.on("error", () => undefined);
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
    }
  }
}

import { connect, createServer, type Server, type Socket } from "node:net";

/** What becomes of the bytes sent through: they arrive; the connection is closed; or they are silently dropped. */
export type Passage = "open" | "closed" | "silent";

const host = "127.0.0.1";

/** A proxy to a server, which a test can close. The caller ends it. */
export class Way {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Sockets that lost bytes. */
  readonly #torn = new Set<Socket>();
  #passage: Passage = "open";

  private constructor(to: { readonly host: string; readonly port: number }) {
    this.#server = createServer((socket) => {
      const onward = connect(to);
      this.#hand(socket, onward);
      this.#hand(onward, socket);
      if (this.#passage === "closed") socket.destroy();
    });
  }

  /** Opens a proxy to the server of an address, `host:port`. */
  static async to(address: string): Promise<Way> {
    const { hostname, port } = new URL(`tcp://${address}`);
    const way = new Way({ host: hostname, port: Number(port) });
    await new Promise<void>((resolve) => way.#server.listen(0, host, resolve));
    return way;
  }

  /** `host:port` of the server through this proxy. */
  get address(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the way has no port");
    return `${host}:${address.port}`;
  }

  /** Sets the passage from now on. Connections that lost bytes are cut once the proxy is open again. */
  let(passage: Passage): void {
    this.#passage = passage;
    if (passage !== "open") return;
    for (const socket of this.#torn) socket.destroy();
    this.#torn.clear();
  }

  /** Ends it, and every connection on it. */
  end(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #hand(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on("data", (bytes) => {
      if (this.#passage === "closed") from.destroy();
      else if (this.#passage === "open") to.write(bytes);
      else this.#torn.add(from);
    });
    from.on("error", () => undefined);
    from.on("close", () => {
      this.#sockets.delete(from);
      this.#torn.delete(from);
      to.destroy();
    });
  }
}

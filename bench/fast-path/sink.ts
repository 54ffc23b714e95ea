import { once } from "node:events";
import { createServer, type Server } from "node:http";

/** A server on the loopback interface that accepts every PUT, and discards it. */
export class Sink {
  readonly #server: Server;
  #bytes = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => {
      request.on("data", (piece: Buffer) => (this.#bytes += piece.length));
      request.on("end", () => response.end());
    });
  }

  static async open(): Promise<Sink> {
    const server = createServer();
    const sink = new Sink(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return sink;
  }

  /** Ends with a slash. */
  get address(): string {
    const bound = this.#server.address();
    if (bound === null || typeof bound === "string") throw new Error("the sink has no port");
    return `http://127.0.0.1:${bound.port}/`;
  }

  /** Bytes of all bodies so far. */
  get bytes(): number {
    return this.#bytes;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

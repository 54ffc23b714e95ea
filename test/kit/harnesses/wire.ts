import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

import { portOf } from "../../src/api/support.ts";

/**
 * Says of each piece of a connection's answers what is let through; undefined where the connection dies after
 * the last one.
 */
export type Cutter = (piece: Buffer) => Buffer | undefined;

/** A wire to a server, on a port of its own, whose connections can be cut and held up. */
export class Wire {
  readonly #to: { readonly host: string; readonly port: number };
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isHeldUp = false;
  #cutter: (() => Cutter) | undefined;

  private constructor(to: { readonly host: string; readonly port: number }) {
    this.#to = to;
    this.#server = createServer((socket) => this.#take(socket));
  }

  static async to(server: { readonly host: string; readonly port: number }): Promise<Wire> {
    const wire = new Wire(server);
    await once(wire.#server.listen(0, "127.0.0.1"), "listening");
    return wire;
  }

  get port(): number {
    return portOf(this.#server);
  }

  /** From now on nothing is answered, on connections that are made too, until `restore`. */
  holdUp(): void {
    this.#isHeldUp = true;
    for (const socket of this.#sockets) socket.unpipe();
  }

  /** Gives connections that are made from now on a cutter each, until `restore`. */
  cutWith(cutter: () => Cutter): void {
    this.#cutter = cutter;
  }

  /** Whoever connects from now on finds the server; connections that were held up end. */
  restore(): void {
    this.#cutter = undefined;
    if (this.#isHeldUp) this.#hangUp();
    this.#isHeldUp = false;
  }

  async close(): Promise<void> {
    this.#hangUp();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #take(socket: Socket): void {
    this.#hold(socket);
    if (this.#isHeldUp) {
      // What comes is taken, so that only the answer is missing.
      socket.resume();
      return;
    }
    const upstream = connect(this.#to);
    this.#hold(upstream);
    socket.on("close", () => void upstream.destroy());
    upstream.on("close", () => socket.destroySoon());
    socket.pipe(upstream);
    const cutter = this.#cutter?.();
    if (cutter === undefined) upstream.pipe(socket);
    else upstream.on("data", (piece: Buffer) => passOn(cutter(piece), socket));
  }

  #hold(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => void this.#sockets.delete(socket));
  }
}

function passOn(piece: Buffer | undefined, socket: Socket): void {
  if (piece === undefined) socket.destroySoon();
  else socket.write(piece);
}

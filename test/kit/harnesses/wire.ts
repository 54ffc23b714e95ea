import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

import { portOf } from "../../src/api/support.ts";

/**
 * Returns, for each piece of a connection's answers, the bytes to let through; undefined if the connection dies after
 * the previous piece.
 */
export type Cutter = (piece: Buffer) => Buffer | undefined;

/** A wire to a server, on a port of its own, whose connections can be cut and stalled. */
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

  /** From now on nothing is answered, not even on new connections, until `restore`. */
  holdUp(): void {
    this.#isHeldUp = true;
    for (const socket of this.#sockets) socket.unpipe();
  }

  /** Gives each new connection a cutter of its own, until `restore`. */
  cutWith(cutter: () => Cutter): void {
    this.#cutter = cutter;
  }

  /** New connections reach the server again; stalled connections end. */
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
      // The request is read, so that only the answer is missing.
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

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

import { endConnection, hasEnded, refusals, type DeliveryRefusal } from "./answers.ts";
import { receiverDrainMs } from "./limits.ts";

/** The state of a connection. */
type Line = {
  /** Requests that came and are not answered yet. */
  pending: number;
  /** The latest of them; undefined for none. */
  last: IncomingMessage | undefined;
  /** Whether something came after them that is not a request. */
  isBroken: boolean;
};

/** Tracks the requests under way by connection, and ends a connection that receives something other than a request. */
export class Exchanges {
  // Has an entry per connection. An entry per request would be kept, with everything it holds, until the old generation
  // is collected: a Map that grows points from its old table to its new one (measured: 200 MB).
  readonly #lines = new Map<Socket, Line>();
  readonly #count: (refusal: DeliveryRefusal) => void;
  #pending = 0;
  #settled: (() => void) | undefined;

  constructor(count: (refusal: DeliveryRefusal) => void) {
    this.#count = count;
  }

  /** Tracks a request until its answer is sent or its connection is gone. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const line = this.#lineOf(socket);
    line.pending += 1;
    line.last = request;
    this.#pending += 1;
    response.once("close", () => this.#end(socket, line));
  }

  #lineOf(socket: Socket): Line {
    const known = this.#lines.get(socket);
    if (known !== undefined) return known;
    const line: Line = { pending: 0, last: undefined, isBroken: false };
    this.#lines.set(socket, line);
    socket.once("close", () => this.#lines.delete(socket));
    return line;
  }

  #end(socket: Socket, line: Line): void {
    line.pending -= 1;
    this.#pending -= 1;
    if (line.pending === 0) {
      line.last = undefined;
      if (line.isBroken) socket.destroySoon();
    }
    if (this.#pending === 0) this.#settled?.();
  }

  /** Resolves when no request is under way. */
  async settled(): Promise<void> {
    if (this.#pending === 0) return;
    await new Promise<void>((resolve) => (this.#settled = resolve));
  }

  /** Answers bytes that Node could not read as a request, and closes the connection. */
  refuse(error: Error & { readonly code?: string }, socket: Socket): void {
    if (!socket.writable || error.code === "ECONNRESET" || error.code === "EPIPE") {
      socket.destroy(error);
      return;
    }
    // The connection is already answered, and its sender has a moment to read that.
    if (hasEnded(socket)) return;
    const line = this.#lines.get(socket);
    const refusal = refusalsByCode.get(error.code ?? "") ?? refusals.malformed;
    this.#count(refusal);
    if (line?.last !== undefined && (line.pending > 1 || line.last.complete)) {
      // The sender would take this for the answer to its earlier requests, which are about to be kept.
      line.isBroken = true;
      return;
    }
    endConnection(socket);
    // A connection that is closed with unread data in it is reset, and its sender may not see the answer.
    socket.pause();
    socket.end(bytesOf(refusal));
    setTimeout(() => socket.destroy(), receiverDrainMs);
  }
}

/** By Node's error code; any other error is `malformed`. */
const refusalsByCode: ReadonlyMap<string, DeliveryRefusal> = new Map([
  ["HPE_HEADER_OVERFLOW", refusals.headTooLarge],
  ["ERR_HTTP_REQUEST_TIMEOUT", refusals.timeout],
]);

const statusTexts: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

function bytesOf({ status, headers, body }: DeliveryRefusal): string {
  const lines = Object.entries({ ...headers, connection: "close" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `HTTP/1.1 ${status} ${statusTexts[status] ?? ""}\r\n${lines.join("")}\r\n${body}`;
}

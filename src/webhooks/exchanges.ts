import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

import { endConnection, hasEnded, refusals, type DeliveryRefusal } from "./answers.ts";
import { receiverDrainMs } from "./limits.ts";

/** What a connection is at. */
type Line = {
  /** Requests that came and are not answered. */
  pending: number;
  /** The latest of them; undefined for none. */
  last: IncomingMessage | undefined;
  /** What came after them is not a request. */
  isBroken: boolean;
};

/** The requests under way, by connection, and how a connection ends on which something comes that is not a request. */
export class Exchanges {
  // Entries that come and go with each request would be kept with all that they hold, until the old
  // generation is collected: a Map that makes itself room points from its old table to its new one (measured:
  // 200 MB).
  readonly #lines = new Map<Socket, Line>();
  readonly #count: (refusal: DeliveryRefusal) => void;
  #pending = 0;
  #settled: (() => void) | undefined;

  constructor(count: (refusal: DeliveryRefusal) => void) {
    this.#count = count;
  }

  /** Notes a request, until its answer is sent or its connection gone. */
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

  /** Answers what Node could not read as a request, and closes the connection. */
  refuse(error: Error & { readonly code?: string }, socket: Socket): void {
    if (!socket.writable || error.code === "ECONNRESET" || error.code === "EPIPE") {
      socket.destroy(error);
      return;
    }
    // It is answered, and left a moment to read that.
    if (hasEnded(socket)) return;
    const line = this.#lines.get(socket);
    const refusal = refusalsByCode.get(error.code ?? "") ?? refusals.malformed;
    this.#count(refusal);
    if (line?.last !== undefined && (line.pending > 1 || line.last.complete)) {
      // Whoever sent the requests before would take this answer for theirs, which are about to be kept.
      line.isBroken = true;
      return;
    }
    endConnection(socket);
    // A connection that is closed while something is in it unread is reset, and its sender may not see the answer.
    socket.pause();
    socket.end(bytesOf(refusal));
    setTimeout(() => socket.destroy(), receiverDrainMs);
  }
}

/** By Node's error code; everything else is malformed. */
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

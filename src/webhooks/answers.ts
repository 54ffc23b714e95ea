import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

import { receiverDrainBytesMax, receiverDrainMs, receiverRetryAfterSeconds } from "./limits.ts";

/** Why a request is not taken, and what its sender is told: nothing of the request. */
export type DeliveryRefusal = {
  readonly status: number;
  /** What the metrics count it as. */
  readonly reason: string;
  /** JSON. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether nothing that follows on its connection may be believed to be a request. */
  readonly isLast: boolean;
};

/** The media type of every answer but the metrics'. */
export const jsonType = "application/json; charset=utf-8";

function refusalOf(
  status: number,
  [reason, message]: readonly [string, string],
  headers: Readonly<Record<string, string>> = {},
): DeliveryRefusal {
  const body = JSON.stringify({ error: { code: reason, message } });
  return {
    status,
    reason,
    body,
    isLast: false,
    headers: {
      ...headers,
      "content-type": jsonType,
      "content-length": String(Buffer.byteLength(body)),
    },
  };
}

/** A refusal of a request of which it is not sure where it ends. */
function lastRefusal(status: number, text: readonly [string, string]): DeliveryRefusal {
  return { ...refusalOf(status, text), isLast: true };
}

const later = { "retry-after": String(receiverRetryAfterSeconds) };

/** The refusals that say the same to everyone. */
export const refusals = {
  malformed: lastRefusal(400, ["malformed", "The request is not well-formed HTTP."]),
  unauthorized: refusalOf(401, ["unauthorized", "The delivery is not signed as it should be."]),
  notFound: refusalOf(404, ["not_found", "Nothing is pushed to this path."]),
  timeout: lastRefusal(408, ["timeout", "The request took too long to arrive."]),
  tooLarge: refusalOf(413, ["too_large", "The body is larger than this path takes."]),
  encoded: refusalOf(415, ["encoded", "The body must not be compressed."]),
  expectation: lastRefusal(417, ["expectation", "Nothing but 100-continue can be expected."]),
  headTooLarge: lastRefusal(431, ["head_too_large", "The request's headers are too large."]),
  failed: refusalOf(500, ["failed", "The receiver failed; the delivery was not kept."]),
  store: refusalOf(503, ["store", "Nothing can be kept for now; send it again later."], later),
  backlog: refusalOf(
    503,
    ["backlog", "Too much is waiting to be sent on; send it again later."],
    later,
  ),
  busy: refusalOf(503, ["busy", "Too much is being received; send it again later."], later),
} as const;

/** A refusal of every method but these, as `Allow` has them. */
export function wrongMethod(allow: string): DeliveryRefusal {
  return refusalOf(405, ["method", `This path takes ${allow}.`], { allow });
}

/** A refusal of a delivery that its connector cannot read. Its sender is known, so the reason may be told. */
export function unreadable(reason: string, message: string): DeliveryRefusal {
  return refusalOf(400, [reason, message]);
}

/** Whether a request says that it has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || bodyBytesOf(headers) > 0;
}

/** The bytes of a body as declared, which the parser lets through as digits only; 0 when nothing is. */
export function bodyBytesOf(headers: IncomingMessage["headers"]): number {
  return Number(headers["content-length"] ?? 0);
}

/** A request and where it is answered. */
export type DeliveryExchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
};

/** Answers a delivery that is kept: 202, or 200 where all of it had been; `isLast` ends its connection. */
export function acknowledge(
  { response }: DeliveryExchange,
  delivery: { readonly kept: number; readonly duplicates: number; readonly isLast: boolean },
): void {
  const { kept, duplicates, isLast } = delivery;
  const body = `{"kept":${kept}}`;
  const headers = { "content-type": jsonType, "content-length": body.length };
  const status = kept === 0 && duplicates > 0 ? 200 : 202;
  response.writeHead(status, isLast ? { ...headers, connection: "close" } : headers).end(body);
}

const ended = new WeakSet<Socket>();

/** Notes that a refusal ends this connection. */
export function endConnection(socket: Socket): void {
  ended.add(socket);
}

/** Whether a refusal has ended this connection: what still comes on it is not looked at. */
export function hasEnded(socket: Socket): boolean {
  return ended.has(socket);
}

/**
 * Answers a request that is not taken, read or not. One whose body is still to come ends its connection,
 * unless that body is short: nobody reads gigabytes to say no.
 */
export function refuse({ request, response }: DeliveryExchange, refusal: DeliveryRefusal): void {
  const { status, headers, body, isLast } = refusal;
  if (!isLast && (request.complete || endsSoon(request))) {
    response.writeHead(status, headers).end(body);
    return;
  }
  endConnection(request.socket);
  response.writeHead(status, { ...headers, connection: "close" }).write(body);
  linger({ request, response });
}

/** Whether a body that nobody reads is so short that the next request may follow it. */
function endsSoon({ headers, httpVersion }: IncomingMessage): boolean {
  if (headers["transfer-encoding"] !== undefined || httpVersion !== "1.1") return false;
  // Who waits for a 100 and does not get it sends the body, or does not: nobody knows where the next request begins.
  if (headers.expect !== undefined) return false;
  return bodyBytesOf(headers) <= receiverDrainBytesMax;
}

/**
 * Ends a connection whose answer is written. A sender whose bytes are not taken sees a reset, often in place
 * of the answer: some of them are read away, and it is left a moment to notice.
 */
function linger({ request, response }: DeliveryExchange): void {
  const end = (): void => {
    clearTimeout(timer);
    if (!response.writableEnded) response.end();
  };
  const timer = setTimeout(end, receiverDrainMs);
  let bytes = 0;
  request.on("data", (block: Buffer) => {
    bytes += block.length;
    if (bytes >= receiverDrainBytesMax) request.pause();
  });
  request.once("end", end);
  response.once("close", end);
}

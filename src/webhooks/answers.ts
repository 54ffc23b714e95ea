import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

import { receiverDrainBytesMax, receiverDrainMs, receiverRetryAfterSeconds } from "./limits.ts";

/** Why a request is refused, and the answer to its sender, which repeats nothing of the request. */
export type DeliveryRefusal = {
  readonly status: number;
  /** The reason that the metrics count. */
  readonly reason: string;
  /** JSON. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether nothing that follows on its connection can be trusted to be a request. */
  readonly isLast: boolean;
};

/** The media type of every answer except the metrics. */
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

/** A refusal of a request whose end is uncertain. */
function lastRefusal(status: number, text: readonly [string, string]): DeliveryRefusal {
  return { ...refusalOf(status, text), isLast: true };
}

const later = { "retry-after": String(receiverRetryAfterSeconds) };

/** The refusals that are the same for everyone. */
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

/** A refusal of every method except these, which are written as in `Allow`. */
export function wrongMethod(allow: string): DeliveryRefusal {
  return refusalOf(405, ["method", `This path takes ${allow}.`], { allow });
}

/** A refusal of a delivery that its connector cannot read. Its sender is known, so the reason may be shown. */
export function unreadable(reason: string, message: string): DeliveryRefusal {
  return refusalOf(400, [reason, message]);
}

/** Whether a request declares a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || bodyBytesOf(headers) > 0;
}

/** The declared bytes of a body, which the parser lets through only as digits; 0 when none are declared. */
export function bodyBytesOf(headers: IncomingMessage["headers"]): number {
  return Number(headers["content-length"] ?? 0);
}

/** A request and its response. */
export type DeliveryExchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
};

/** Answers a delivery that is kept: 202, or 200 where all of it had been kept before; `isLast` ends its connection. */
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

/** Records that a refusal ends this connection. */
export function endConnection(socket: Socket): void {
  ended.add(socket);
}

/** Whether a refusal has ended this connection: anything that still comes on it is ignored. */
export function hasEnded(socket: Socket): boolean {
  return ended.has(socket);
}

/**
 * Answers a refused request, read or not. If its body is still to come, its connection ends, unless that body is short:
 * there is no point in reading gigabytes to refuse them.
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

/** Whether an unread body is so short that the next request may follow it. */
function endsSoon({ headers, httpVersion }: IncomingMessage): boolean {
  if (headers["transfer-encoding"] !== undefined || httpVersion !== "1.1") return false;
  // A sender that waits for a 100 in vain may or may not send the body, so where the next request begins is unknown.
  if (headers.expect !== undefined) return false;
  return bodyBytesOf(headers) <= receiverDrainBytesMax;
}

/**
 * Ends a connection whose answer is written. A sender whose bytes are not read sees a reset, often instead of the
 * answer: some of them are discarded, and the sender has a moment to notice.
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

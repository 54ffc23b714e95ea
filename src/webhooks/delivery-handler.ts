import type { Logger } from "pino";

import type { Pushed } from "../../connectors/contract/push-connections.ts";
import type { Endpoint, Received } from "../../connectors/contract/push.ts";
import type { Inbox, Verdict } from "../inbox/inbox.ts";
import { deliveryEventsMax } from "../limits.ts";
import {
  acknowledge,
  bodyBytesOf,
  type DeliveryExchange,
  refusals,
  refuse,
  type DeliveryRefusal,
  unreadable,
} from "./answers.ts";
import type { BacklogWatch } from "./backlog-watch.ts";
import type { BodyRoom } from "./body-room.ts";
import { readBody } from "./body.ts";
import { headersOf } from "./heads.ts";
import { unbelievedLogMs } from "./limits.ts";
import type { ConnectionMetrics } from "./metrics.ts";

/** A connection whose deliveries are received. */
export type PushedTo = Pick<Pushed, "config" | "connection" | "push">;

/** The parts that a handler uses; all connections share inbox, watch, room and log. */
export type HandlerParts = {
  readonly inbox: Inbox;
  readonly watch: BacklogWatch;
  readonly room: BodyRoom;
  readonly log: Logger;
  readonly metrics: ConnectionMetrics;
  readonly wake: (connection: string) => void;
  /** Unix ms, against which the time that a sender signed is checked. */
  readonly now: () => number;
  /** Whether another request may follow on a connection after the answer. */
  readonly isListening: () => boolean;
};

/** Receives the deliveries that are pushed to one connection. */
export class DeliveryHandler {
  readonly endpoint: Endpoint;
  readonly #pushed: PushedTo;
  readonly #parts: HandlerParts;
  /** When the log last said that a delivery is not believed, by `performance.now()`. */
  #warnedMs = -Infinity;

  constructor(pushed: PushedTo, parts: HandlerParts) {
    this.#pushed = pushed;
    this.#parts = parts;
    this.endpoint = pushed.push.endpoint(pushed.config);
  }

  /** Checks a delivery before its body is read. @returns whether it is admitted; otherwise it is answered. */
  admits(exchange: DeliveryExchange): boolean {
    this.#parts.metrics.received();
    const refusal = this.#refusalOf(exchange);
    if (refusal === undefined) return true;
    this.refuse(exchange, refusal);
    return false;
  }

  #refusalOf({ request, response }: DeliveryExchange): DeliveryRefusal | undefined {
    const { headers } = request;
    const { watch, room } = this.#parts;
    const { bodyBytesMax, backlogMax } = this.endpoint;
    const encoding = headers["content-encoding"] ?? "identity";
    if (encoding.toLowerCase() !== "identity") return refusals.encoded;
    if (bodyBytesOf(headers) > bodyBytesMax) return refusals.tooLarge;
    if (watch.waiting(this.#pushed.connection) >= backlogMax) return refusals.backlog;
    if (!room.take(bodyBytesOf(headers), response)) return refusals.busy;
    return watch.mayTry() ? undefined : refusals.store;
  }

  /** Answers a refused delivery. */
  refuse(
    exchange: DeliveryExchange,
    refusal: DeliveryRefusal,
    reason: string = refusal.reason,
  ): void {
    this.#parts.metrics.refused(reason);
    refuse(exchange, refusal);
  }

  /** Reads a delivery whose head came at `arrivedMs`, verifies it, keeps it, and only then answers 2xx (I8). */
  async receive(exchange: DeliveryExchange, arrivedMs: number): Promise<void> {
    const { request, response } = exchange;
    const { bodyBytesMax: bytesMax } = this.endpoint;
    // How large a body in chunks becomes is seen when it comes; any other has its share of the room already.
    const isChunked = request.headers["transfer-encoding"] !== undefined;
    const mayGrow = (): boolean => !isChunked || this.#parts.room.take(bytesMax, response);
    const body = await readBody(request, { bytesMax, mayGrow });
    if (!Buffer.isBuffer(body)) {
      if (body !== "gone") this.refuse(exchange, refusals[body === "busy" ? "busy" : "tooLarge"]);
      return;
    }
    const { push, config, connection } = this.#pushed;
    const receivedAt = this.#parts.now();
    const headers = headersOf(request);
    const query = queryOf(request.url ?? "");
    const received = bounded(
      push.receive({ config, request: { headers, query, body, receivedAt } }),
    );
    if ("refuse" in received) {
      const { reason } = received;
      // The reason why a delivery is not believed would help forgers, so only the metrics and the log show it.
      if (received.refuse === 401) this.#warnOf(reason);
      const refusal =
        received.refuse === 401 ? refusals.unauthorized : unreadable(reason, received.message);
      this.refuse(exchange, refusal, reason);
      return;
    }
    const { events } = received;
    assertTexts(events);
    const verdict = await this.#keep({ connection, events });
    if (verdict === undefined) {
      this.refuse(exchange, refusals.store);
      return;
    }
    if (verdict.wake) this.#parts.wake(connection);
    const { kept } = verdict;
    const duplicates = events.length - kept;
    acknowledge(exchange, { kept, duplicates, isLast: !this.#parts.isListening() });
    const seconds = (performance.now() - arrivedMs) / 1_000;
    this.#parts.metrics.acknowledged({ kept, duplicates, seconds });
  }

  #warnOf(reason: string): void {
    const nowMs = performance.now();
    if (nowMs - this.#warnedMs < unbelievedLogMs) return;
    this.#warnedMs = nowMs;
    const { connection } = this.#pushed;
    const text =
      "a delivery is not believed: does its sender have the same secret, and the same clock?";
    this.#parts.log.warn({ connection, reason }, text);
  }

  /** Undefined when the inbox cannot be written. */
  async #keep(delivery: Parameters<Inbox["keep"]>[0]): Promise<Verdict | undefined> {
    const { inbox, watch } = this.#parts;
    if (delivery.events.length === 0) return { kept: 0, wake: false };
    try {
      const verdict = await inbox.keep(delivery);
      watch.kept(delivery.connection, verdict.kept);
      return verdict;
    } catch (error) {
      watch.failed(error);
      return undefined;
    }
  }
}

/** Refuses more events than one transaction of the inbox takes, whatever a connector makes of a body. */
function bounded(received: Received): Received {
  if ("refuse" in received || received.events.length <= deliveryEventsMax) return received;
  const message = `There are more than ${deliveryEventsMax} events in it: post them in several deliveries.`;
  return { refuse: 400, reason: "too_many_events", message };
}

/**
 * Texts are what an inbox takes, and code that nobody checked the types of may give anything.
 * @throws without the value, which may be a sender's.
 */
function assertTexts(events: readonly { readonly json: unknown; readonly id?: unknown }[]): void {
  for (const { json, id } of events) {
    if (typeof json !== "string")
      throw new Error("its connector gives an event whose `json` is not a text");
    if (id !== undefined && typeof id !== "string") {
      throw new Error("its connector gives an event whose `id` is neither a text nor undefined");
    }
  }
}

function queryOf(url: string): URLSearchParams {
  const at = url.indexOf("?");
  return new URLSearchParams(at === -1 ? "" : url.slice(at + 1));
}

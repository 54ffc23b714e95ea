import type { Server } from "node:http";

import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";

import { inTime } from "../clock.ts";
import { messageOf } from "../errors.ts";
import type { Inbox } from "../inbox/inbox.ts";
import {
  type DeliveryExchange,
  hasBody,
  hasEnded,
  jsonType,
  refusals,
  refuse,
  type DeliveryRefusal,
  wrongMethod,
} from "./answers.ts";
import type { BacklogWatch } from "./backlog-watch.ts";
import { BodyRoom } from "./body-room.ts";
import { DeliveryHandler, type PushedTo } from "./delivery-handler.ts";
import { Exchanges } from "./exchanges.ts";
import { headFlaw } from "./heads.ts";
import * as limits from "./limits.ts";
import { createMetrics, type ReceiverMetrics } from "./metrics.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** When its head had arrived, by `performance.now()`. */
    arrivedMs: number;
  }
}

/** The parts of a receiver's server. */
export type AppParts = {
  /** Each has a path of its own. */
  readonly pushed: readonly PushedTo[];
  readonly inbox: Inbox;
  /** Called with a connection for which an event was kept and nobody has woken the drain. */
  readonly wake: (connection: string) => void;
  /** The time, in Unix ms: the store's where several hosts share one, because their own clocks may be wrong. */
  readonly now: () => number;
  /** The state of Temporal in `/readyz`, whose status code does not depend on it. */
  readonly temporal: () => "reachable" | "away" | "unknown";
  readonly log: Logger;
};

/** Makes the receiver's server: a route for each connection that is pushed to, and routes for its operator. */
export function createApp(parts: AppParts, watch: BacklogWatch): FastifyInstance {
  const metrics = createMetrics(
    watch,
    parts.pushed.map(({ connection }) => connection),
  );
  const turnAway = (exchange: DeliveryExchange, refusal: DeliveryRefusal): void => {
    metrics.refusedElsewhere(refusal.reason);
    refuse(exchange, refusal);
  };
  const exchanges = new Exchanges(({ reason }) => metrics.refusedElsewhere(reason));
  const app = fastify({
    logger: false,
    forceCloseConnections: false,
    return503OnClosing: false,
    requestTimeout: limits.receiverRequestMsMax,
    keepAliveTimeout: limits.receiverKeepAliveMs,
    clientErrorHandler: (error, socket) => exchanges.refuse(error, socket),
    // A path that cannot be decoded is not one of ours.
    frameworkErrors: (_, request, reply) => turnAway(exchangeOf(request, reply), refusals.notFound),
    http: {
      headersTimeout: limits.receiverHeadMsMax,
      connectionsCheckingInterval: limits.receiverCheckMs,
      maxHeaderSize: limits.receiverHeadBytesMax,
      // `headFlaw` checks it, and its refusals are answered like all others.
      requireHostHeader: false,
    },
  });
  listenOn(app.server, { exchanges, metrics, turnAway });
  const allowed = new Map<string, string>();
  app.decorateRequest("arrivedMs", 0);
  app.addHook("onRequest", (request, reply, done) => {
    if (hasEnded(request.raw.socket)) {
      reply.hijack();
      return;
    }
    request.arrivedMs = performance.now();
    const flaw =
      headFlaw(request.raw) ?? (request.is404 ? wrongPlace(request, allowed) : undefined);
    if (flaw === undefined) done();
    else turnAway(exchangeOf(request, reply), flaw);
  });
  addDeliveries(app, { parts, watch, metrics, allowed });
  addOperation(app, { parts, watch, metrics, allowed, turnAway });
  app.addHook("preClose", async () => {
    app.server.close();
    await inTime(exchanges.settled(), limits.receiverCloseMs);
    app.server.closeAllConnections();
  });
  return app;
}

type TurnAway = (exchange: DeliveryExchange, refusal: DeliveryRefusal) => void;

/** The two ends of a request that is answered here, not by fastify. */
function exchangeOf(
  request: Pick<FastifyRequest, "raw">,
  reply: Pick<FastifyReply, "raw" | "hijack">,
): DeliveryExchange {
  reply.hijack();
  return { request: request.raw, response: reply.raw };
}

function listenOn(
  server: Server,
  parts: {
    readonly exchanges: Exchanges;
    readonly metrics: ReceiverMetrics;
    readonly turnAway: TurnAway;
  },
): void {
  const { exchanges, metrics, turnAway } = parts;
  server.maxConnections = limits.receiverConnectionsMax;
  // A sender that has closed its side still waits for the answer. Node's types do not have this option.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.prependListener("request", (request, response) => exchanges.begin(request, response));
  // A sender that asks before it sends a body is refused without it, or gets a 100 once it is admitted.
  server.on("checkContinue", (request, response) => server.emit("request", request, response));
  server.on("checkExpectation", (request, response) => {
    exchanges.begin(request, response);
    turnAway({ request, response }, refusals.expectation);
  });
  server.on("drop", () => {
    metrics.refusedElsewhere("connections");
    // Idle connections must not keep others out: this makes room for the next one.
    server.closeIdleConnections();
  });
}

/** The refusal of a request that no route takes. */
function wrongPlace(
  { raw }: FastifyRequest,
  allowed: ReadonlyMap<string, string>,
): DeliveryRefusal {
  const [path = ""] = raw.url?.split("?", 1) ?? [];
  const methods = allowed.get(path);
  return methods === undefined ? refusals.notFound : wrongMethod(methods);
}

type Routing = {
  readonly parts: AppParts;
  readonly watch: BacklogWatch;
  readonly metrics: ReceiverMetrics;
  /** Allowed methods by path; routes add theirs. */
  readonly allowed: Map<string, string>;
};

function addDeliveries(app: FastifyInstance, { parts, watch, metrics, allowed }: Routing): void {
  const { pushed, inbox, wake, log, now } = parts;
  const room = new BodyRoom();
  // The handlers read bodies themselves: fastify would refuse types that it cannot read, and close connections in a way
  // that loses the answer.
  app.addHttpMethod("POST", { hasBody: false, overrideExisting: true });
  for (const one of pushed) {
    const handler = new DeliveryHandler(one, {
      inbox,
      watch,
      room,
      wake,
      log,
      now,
      metrics: metrics.connection(one.connection),
      isListening: () => app.server.listening,
    });
    const { path } = handler.endpoint;
    allowed.set(path, "POST");
    app.route({
      method: "POST",
      // A part that begins with a colon would be a parameter.
      url: path.replaceAll(":", "::"),
      onRequest: (request, reply, done) => {
        const { raw } = request;
        if (!handler.admits({ request: raw, response: reply.raw })) {
          reply.hijack();
          return;
        }
        if (raw.headers.expect !== undefined && raw.httpVersion === "1.1")
          reply.raw.writeContinue();
        done();
      },
      handler: (request, reply) => {
        const exchange = exchangeOf(request, reply);
        handler.receive(exchange, request.arrivedMs).catch((error: unknown) => {
          log.error(`a delivery to ${one.connection} failed: ${messageOf(error)}`);
          if (exchange.response.headersSent) exchange.response.destroy();
          else handler.refuse(exchange, refusals.failed);
        });
      },
    });
  }
}

function addOperation(
  app: FastifyInstance,
  routing: Routing & { readonly turnAway: TurnAway },
): void {
  const { parts, watch, metrics, allowed, turnAway } = routing;
  const answers = {
    "/livez": () => ({ status: 200, type: jsonType, text: '{"status":"ok"}' }),
    "/readyz": () => {
      const store = watch.isStoreOk ? "ok" : "failing";
      const text = JSON.stringify({ store, temporal: parts.temporal() });
      return { status: watch.isStoreOk ? 200 : 503, type: jsonType, text };
    },
    "/metrics": async () => ({
      status: 200,
      type: metrics.contentType,
      text: await metrics.text(),
    }),
  };
  for (const [path, answer] of Object.entries(answers)) {
    allowed.set(path, "GET, HEAD");
    app.get(path, {
      onRequest: (request, reply, done) => {
        if (hasBody(request.raw)) turnAway(exchangeOf(request, reply), refusals.tooLarge);
        else done();
      },
      handler: async (_, reply) => {
        const { status, type, text } = await answer();
        await reply.code(status).header("content-type", type).send(text);
      },
    });
  }
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { recordsQuery } from "../schemas.ts";
import { type Step, stepOf, steps } from "../steps.ts";
import { issuesAt, issuesOf } from "../upload/record-check.ts";
import type { RecordIndex } from "../upload/record-index.ts";
import type { UploadStore } from "../upload/upload-store.ts";
import { type SandboxAnswer, invalid, json, message } from "./answers.ts";
import {
  type IncomingCall,
  SandboxExchange,
  type ExchangeParts,
  type StepHandler,
} from "./exchange.ts";
import { send } from "./replies.ts";

/** The service's addresses. */
const routes = steps.flatMap((step) => {
  const { method, paths } = stepOf(step);
  const patterns = Object.keys(paths).map((path) => path.replaceAll(/\{\w+\}/g, ".*"));
  return patterns.map((pattern) => ({ step, method, pattern: new RegExp(`^${pattern}$`) }));
});

const about =
  "sluice sandbox: a local stand-in for the Customer Data Service, described at /openapi.json\n";

/** Characters of JSON lines that are collected for one write. */
const pieceCharsMin = 64 * 1024;

/** The targets of the routes. */
export type RoutesParts = {
  readonly handlers: Readonly<Record<Step, StepHandler>>;
  readonly exchange: ExchangeParts;
  readonly store: UploadStore;
  readonly index: RecordIndex;
  /** Called when the document is requested. */
  readonly openapi: () => unknown;
};

/**
 * Routes requests to the steps of the service, and to what only a sandbox has: its records, its ledger and its
 * description, which need no API key.
 *
 * It uses node:http and not fastify because a step reads its body when and as far as it wants, which leaves only the
 * routing to a framework.
 */
export class Routes {
  readonly #parts: RoutesParts;
  readonly #running = new Set<Promise<void>>();

  constructor(parts: RoutesParts) {
    this.#parts = parts;
  }

  /** A server that answers by these routes. */
  server(): Server {
    // The time for a whole request is not limited: 2 GB over a slow line take as long as they take.
    return createServer({ requestTimeout: 0 }, (request, response) => {
      const run = this.#run(request, response);
      this.#running.add(run);
      void run.finally(() => this.#running.delete(run));
    });
  }

  /** Resolves when no request is being answered. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Never rejects. */
  async #run(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.parse(`http://sandbox${request.url}`);
    if (url === null) {
      send(response, notFound);
      return;
    }
    const incoming = { request, response, url };
    const route = routeOf(url);
    if (route !== undefined && route.method === methodOf(request)) {
      const { step } = route;
      await new SandboxExchange(this.#parts.exchange, step).run(
        incoming,
        this.#parts.handlers[step],
      );
      return;
    }
    try {
      await this.#open(incoming);
    } catch {
      if (response.headersSent) response.destroy();
      else send(response, message(500, "The sandbox failed"));
    }
  }

  async #open(incoming: IncomingCall): Promise<void> {
    const { request, response, url } = incoming;
    const { store, index } = this.#parts;
    switch (`${methodOf(request)} ${url.pathname}`) {
      case "GET /":
        send(response, { status: 200, headers: { "content-type": "text/plain" }, body: about });
        return;
      case "GET /openapi.json":
        send(response, json(200, this.#parts.openapi()));
        return;
      case "GET /_sandbox/ledger":
        await sendLines(response, store.entries());
        return;
      case "GET /_sandbox/records": {
        const query = recordsQuery.safeParse(Object.fromEntries(url.searchParams));
        if (!query.success) {
          send(response, invalid(issuesAt(["query"], issuesOf(query.error))));
          return;
        }
        await index.catchUp(store.applied, (diskName) => store.files.path(diskName));
        await sendLines(response, joined(index.lines(query.data.stream)));
        return;
      }
      default:
        send(response, refusalOf(incoming));
    }
  }
}

const notFound = message(404, "Not found");

const openPaths = ["/", "/openapi.json", "/_sandbox/ledger", "/_sandbox/records"];

/** Node sends no body to a HEAD. */
function methodOf({ method }: IncomingMessage): string | undefined {
  return method === "HEAD" ? "GET" : method;
}

function routeOf({ pathname }: URL): (typeof routes)[number] | undefined {
  return routes.find(({ pattern }) => pattern.test(pathname));
}

/** The answer to a request that no route takes. */
function refusalOf({ url }: IncomingCall): SandboxAnswer {
  const method = openPaths.includes(url.pathname) ? "GET" : routeOf(url)?.method;
  if (method === undefined) return notFound;
  const refused = message(405, "Method not allowed");
  const allow = method === "GET" ? "GET, HEAD" : method;
  return { ...refused, headers: { ...refused.headers, allow } };
}

async function sendLines(
  response: ServerResponse,
  pieces: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  response.setHeader("content-type", "application/jsonl");
  await pipeline(Readable.from(pieces), response);
}

/** Joins lines into pieces that are large enough for a write. */
function* joined(lines: Iterable<string>): Generator<string> {
  let piece = "";
  for (const line of lines) {
    piece += line;
    if (piece.length < pieceCharsMin) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

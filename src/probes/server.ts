import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

import { ConfigError, messageOf } from "../errors.ts";
import { isReady, type Readiness } from "./readiness.ts";

/** A probe is a few bytes, and so is its answer: anything slower is not a probe. */
const requestMsMax = 5_000;

/** More connections at once are not probes. */
const connectionsMax = 32;

/** The server that answers the probes of a worker. */
export type ProbeServer = {
  readonly address: URL;
  /** From now on `/readyz` answers with the result of `look`; before, and after `undefined`, it answers "not ready". */
  watch(look: (() => Promise<Readiness>) | undefined): void;
  close(): Promise<void>;
};

type Answer = { readonly status: number; readonly text: string; readonly type?: string };

/** The answer at `/metrics`. */
export type MetricsAnswer = { readonly type: string; readonly text: string };

type Asked = {
  readonly look: (() => Promise<Readiness>) | undefined;
  readonly metrics: (() => Promise<MetricsAnswer>) | undefined;
};

async function answerTo(
  { method = "", url = "" }: IncomingMessage,
  { look, metrics }: Asked,
): Promise<Answer> {
  const [path] = url.split("?", 1);
  const isMetrics = path === "/metrics" && metrics !== undefined;
  if (path !== "/livez" && path !== "/readyz" && !isMetrics) return { status: 404, text: "{}" };
  if (method !== "GET" && method !== "HEAD") return { status: 405, text: "{}" };
  if (isMetrics) return { status: 200, ...(await metrics()) };
  if (path === "/livez") return { status: 200, text: '{"status":"ok"}' };
  if (look === undefined) return { status: 503, text: '{"worker":"starts or stops"}' };
  const found = await look();
  return { status: isReady(found) ? 200 : 503, text: JSON.stringify(found) };
}

async function listen(server: Server, at: { host: string; port: number }): Promise<URL> {
  await once(server.listen(at), "listening");
  return servedAt(server);
}

/** The address at which a server listens. */
export function servedAt(server: Pick<Server, "address">): URL {
  const at = server.address();
  if (at === null || typeof at === "string") throw new Error("it listens on no port");
  return new URL(`http://${at.family === "IPv6" ? `[${at.address}]` : at.address}:${at.port}`);
}

/**
 * Starts a server for `/livez` (whether the process lives), `/readyz` (whether it can work) and `/metrics`; it does not
 * keep the process alive.
 * @throws {ConfigError} it cannot listen there.
 */
export async function startProbes(at: {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** @default there are none */
  readonly metrics?: (() => Promise<MetricsAnswer>) | undefined;
}): Promise<ProbeServer> {
  const { host, port, metrics } = at;
  let look: (() => Promise<Readiness>) | undefined;
  // Concurrent probes share one check.
  let looking: Promise<Readiness> | undefined;
  const lookOnce = async (): Promise<Readiness> => {
    looking ??= look?.().finally(() => (looking = undefined));
    return (await looking) ?? { temporal: "away", store: "away", folder: "unwritable" };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = { look: look === undefined ? undefined : lookOnce, metrics };
    const { status, text, type = "application/json" } = await answerTo(request, asked);
    response.writeHead(status, { "content-type": type });
    response.end(request.method === "HEAD" ? undefined : text);
  };
  const server = createServer({ requestTimeout: requestMsMax }, (request, response) => {
    request.resume();
    // A rejection that nobody handles would end the worker.
    answer(request, response).catch(() => response.writeHead(500).end());
  });
  server.maxConnections = connectionsMax;
  server.unref();
  try {
    const address = await listen(server, { host, port });
    return {
      address,
      watch: (next) => {
        look = next;
      },
      close: async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  } catch (error) {
    throw new ConfigError(`the worker cannot listen at ${host}:${port}: ${messageOf(error)}`, {
      cause: error,
      hint: "choose another address for --http, or stop what listens there",
    });
  }
}

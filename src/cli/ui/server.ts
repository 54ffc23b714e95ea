import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";

import { ConfigError, messageOf, SluiceError } from "../../errors.ts";
import { servedAt } from "../../probes/server.ts";
import { assets } from "./assets.ts";
import { assertGuarded, refusalOfUi, type UiDoor } from "./guard.ts";
import { html, withCode } from "./html.ts";
import { KeptPages } from "./kept-pages.ts";
import { document, type UiPage } from "./layout.ts";

/** The parameters of a page: the members of its query, each once, and `run` of its path. */
export type UiAsked = Readonly<Record<string, string>>;

/** The pages, by path as fastify writes it. */
export type UiPages = Readonly<Record<string, (asked: UiAsked) => Promise<UiPage>>>;

/** The parts of the pages' server. */
type UiServerParts = UiDoor & {
  /** 0 takes a free one. */
  readonly port: number;
  readonly pages: UiPages;
  readonly log: Logger;
};

/** The pages while they are served. */
export type UiServer = { readonly address: URL; close(): Promise<void> };

/** Bytes of a request's line and headers: a search for a key is the longest. */
const headBytesMax = 16 * 1024;

/** A browser keeps six; more come from scripts. */
const connectionsMax = 1_024;

const securityHeaders = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  // A key may be in the address.
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
} as const;

const plain = "text/plain; charset=utf-8";

/** The parameters of a request; if a member is given twice, the last one counts. */
function askedIn({ query, params }: FastifyRequest): UiAsked {
  const members = [query, params].flatMap((each) =>
    typeof each === "object" && each !== null ? Object.entries(each) : [],
  );
  return Object.fromEntries(
    members.map(([name, value]: [string, unknown]) => [
      name,
      String(Array.isArray(value) ? value.at(-1) : value),
    ]),
  );
}

function faultPage(error: SluiceError): UiPage {
  const hint = error.hint === undefined ? undefined : html`<p>→ ${withCode(error.hint)}</p>`;
  const isWrongAsked = error instanceof ConfigError;
  return {
    title: isWrongAsked ? "This cannot be shown" : "This cannot be shown now",
    main: html`<p>${withCode(error.message)}</p>
      ${hint}`,
    status: isWrongAsked ? 404 : 503,
  };
}

/** The page; for an error that is meant for people, a page that shows it. */
async function pageOf(look: () => Promise<UiPage>): Promise<UiPage> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof SluiceError) return faultPage(error);
    throw error;
  }
}

async function send(reply: FastifyReply, status: number, text: string): Promise<void> {
  await reply.code(status).header("content-type", plain).send(`${text}\n`);
}

function addPages(app: FastifyInstance, pages: UiPages): void {
  for (const [path, look] of Object.entries(pages)) {
    // One for each kind of page, so that a source that does not answer holds up no other kind.
    const kept = new KeptPages<{ readonly status: number; readonly text: string }>();
    app.get(path, async (request, reply) => {
      const page = kept.get(request.url, async () => {
        const found = await pageOf(async () => await look(askedIn(request)));
        const { status = 200 } = found;
        return { status, text: document(found, path) };
      });
      if (page === undefined) {
        await send(reply.header("retry-after", "1"), 503, "Too much is asked at once.");
        return;
      }
      const { status, text } = await page;
      await reply.code(status).header("content-type", "text/html; charset=utf-8").send(text);
    });
  }
}

function createUiApp({ pages, log, ...door }: Omit<UiServerParts, "port">): FastifyInstance {
  const app = fastify({
    logger: false,
    forceCloseConnections: true,
    requestTimeout: 10_000,
    http: { maxHeaderSize: headBytesMax, requireHostHeader: false },
    frameworkErrors: (_error, _request, reply) =>
      void send(reply, 400, "This is not a valid address."),
  });
  app.server.maxConnections = connectionsMax;
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(securityHeaders);
    const refusal = refusalOfUi(request.headers, door);
    if (refusal === undefined) return;
    if (refusal.status === 401) {
      reply.header("www-authenticate", 'Basic realm="sluice ui", charset="UTF-8"');
    }
    await send(reply, refusal.status, refusal.text);
  });
  for (const [path, { type, text }] of Object.entries(assets)) {
    app.get(path, async (_, reply) => await reply.header("content-type", type).send(text));
  }
  addPages(app, pages);
  app.setNotFoundHandler(async ({ method }, reply) => {
    const isRead = method === "GET" || method === "HEAD";
    if (isRead) await send(reply, 404, "There is no such page.");
    else await send(reply.header("allow", "GET, HEAD"), 405, "Nothing can be changed here.");
  });
  app.setErrorHandler(async (error, _, reply) => {
    log.error(`a page of sluice ui failed: ${messageOf(error)}`);
    await send(reply, 500, "The page failed; the log of sluice ui says why.");
  });
  return app;
}

/**
 * Starts the pages of a project.
 * @throws {ConfigError} it cannot listen there, or others could look without a token.
 */
export async function startUiServer({ port, ...parts }: UiServerParts): Promise<UiServer> {
  assertGuarded(parts);
  const { host } = parts;
  const app = createUiApp(parts);
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw new ConfigError(`sluice ui cannot listen at ${host}:${port}: ${messageOf(error)}`, {
      cause: error,
      hint: "choose another --port, or stop what listens there",
    });
  }
  return { address: servedAt(app.server), close: async () => await app.close() };
}

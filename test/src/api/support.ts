import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createRawServer } from "node:net";
import type { Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

import { createApiClient } from "../../../src/api/client.ts";
import type { ApiClient, ApiClientSettings } from "../../../src/api/client.ts";
import { endpointNames, type EndpointName } from "../../../src/api/endpoints.ts";
import type { RateLimiter } from "../../../src/api/rate-limiter.ts";
import type { SearchPageInput } from "../../../src/api/search.ts";
import { SignedUrl } from "../../../src/api/signed-url.ts";
import type { StagedFileFacts } from "../../../src/api/staged-file.ts";
import { Secret } from "../../../src/security/secret.ts";
import { selfSigned } from "./http/self-signed.ts";

/** The API key of every test client. */
export const canaryKey = "canary-key-7f3a";

/** One request as a test server saw it. */
export type SeenRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** A server on a free port of 127.0.0.1 that closes with its test. */
export type TestServer = { readonly url: URL; readonly seen: SeenRequest[] };

/** The port a server listens on. */
export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("listens on no port");
  return address.port;
}

async function listen(server: Server, protocol: "http" | "https"): Promise<URL> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket.on("error", () => undefined).on("close", () => sockets.delete(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return new URL(`${protocol}://127.0.0.1:${portOf(server)}`);
}

/** Starts a server that leaves reading and answering to `listener`. */
export async function startHttp(listener: RequestListener): Promise<URL> {
  return await listen(createServer(listener), "http");
}

/** Starts a server that reads each request whole, records it and lets `answer` answer. */
export async function startServer(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
): Promise<TestServer> {
  const seen: SeenRequest[] = [];
  const url = await startHttp((request, response) => {
    const { method = "", url: path = "", headers } = request;
    const whole: Buffer[] = [];
    request.on("data", (block: Buffer) => whole.push(block));
    request.on("end", () => {
      seen.push({ method, path, headers, body: Buffer.concat(whole).toString() });
      answer(response, request);
    });
  });
  return { url, seen };
}

/** Starts a raw socket server; `onSocket` handles each connection. */
export async function startSockets(onSocket: (socket: Socket) => void): Promise<URL> {
  return await listen(createRawServer(onSocket), "http");
}

/** Starts a server whose certificate nobody trusts; requests that reach it are recorded. */
export async function startSelfSigned(): Promise<TestServer> {
  const seen: SeenRequest[] = [];
  const server = createTlsServer(
    selfSigned,
    ({ method = "", url: path = "", headers }, response) => {
      seen.push({ method, path, headers, body: "" });
      response.end();
    },
  );
  return { url: await listen(server, "https"), seen };
}

/** Answers with JSON. */
export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** A rate limiter that lets everything pass and records its calls. */
export type NotingLimiter = RateLimiter & { readonly notes: unknown[][] };

/** The wait that `throttled` of a noting limiter returns. */
export const throttledWaitMs = 7_000;

/** Makes one; `changes` replaces methods. */
export function notingLimiter(changes: Partial<RateLimiter> = {}): NotingLimiter {
  const notes: unknown[][] = [];
  return {
    notes,
    acquire: async (scope) => {
      notes.push(["acquire", scope]);
      return { scope, isProbe: false };
    },
    ended: async ({ scope }, outcome) => {
      notes.push([outcome, scope]);
    },
    throttled: async (scope, hintMs) => {
      notes.push(["throttled", scope, hintMs]);
      return throttledWaitMs;
    },
    creditsExhausted: async (scope) => {
      notes.push(["creditsExhausted", scope]);
    },
    keyRefused: async () => {
      notes.push(["keyRefused"]);
    },
    ...changes,
  };
}

/** Makes a client of one server, which closes with its test. */
export function clientOf(url: URL, changes: Partial<ApiClientSettings> = {}): ApiClient {
  const client = createApiClient({
    baseUrl: url,
    legacyBaseUrl: url,
    apiKey: new Secret(canaryKey),
    allowInsecureHosts: [],
    rateLimiter: notingLimiter(),
    ...changes,
  });
  onTestFinished(async () => {
    await client.close();
  });
  return client;
}

/** The reason with which a promise rejects; fails the test if it resolves. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => {
      throw new Error("expected a rejection");
    },
    (error: unknown) => error,
  );
}

/** A signal that never aborts. */
export const never: AbortSignal = new AbortController().signal;

/** The answer that accepts an upload-json. */
export const uploaded = { status: "success", message: "stored", file_key: "uploads/1.jsonl" };

/** The answer that accepts a confirm. */
export const confirmed = { status: "success", message: "processing has started" };

/** A staged file with this content, in a folder that is removed with its test, and its facts as in a receipt. */
export async function stageFile(content: string | Uint8Array): Promise<StagedFileFacts> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-api-"));
  onTestFinished(async () => {
    await rm(folder, { recursive: true });
  });
  const path = join(folder, "chunk.jsonl.gz");
  await writeFile(path, content);
  return {
    path,
    bytes: Buffer.byteLength(content),
    gzipSha256: createHash("sha256").update(content).digest("hex"),
  };
}

/** Makes the request of one endpoint; the PUT goes to `/put` of the client's server. */
export async function perform(
  endpoint: EndpointName,
  client: ApiClient,
  { url, signal = never }: { url: URL; signal?: AbortSignal },
): Promise<unknown> {
  const { fileKey, records, stream } = { fileKey: "uploads/1", records: 10, stream: "account" };
  const body = Buffer.from("{}");
  const uploadUrl = new SignedUrl(new URL("/put?signature=canary-signature", url));
  const requests: Readonly<Record<EndpointName, () => Promise<unknown>>> = {
    ping: async () => await client.ping({ signal }),
    generateUploadUrl: async () => await client.generateUploadUrl({ stream, signal }),
    putFile: async () =>
      await client.putFile({ ...(await stageFile("staged bytes")), uploadUrl, signal }),
    confirmUpload: async () => await client.confirmUpload({ fileKey, records, signal }),
    uploadJson: async () => await client.uploadJson({ stream, body, records, signal }),
    search: async () => await client.search({ ...firstPage, signal }),
  };
  return await requests[endpoint]();
}

/** The same word for every endpoint, except those in `but`. */
export function everywhere(
  word: string,
  but: Partial<Record<EndpointName, string>> = {},
): Record<string, string> {
  return Object.fromEntries(endpointNames.map((name) => [name, but[name] ?? word]));
}

/** The first page of accounts that a client requests. */
export const firstPage = {
  of: "accounts",
  query: { limit: 100 },
  cursor: undefined,
  signal: never,
} as const satisfies SearchPageInput;

/** An account as a search returns it, without optional members. */
export const foundAccount = {
  mk_id: "mk-1",
  source_system: {},
  name: "Acme",
  domain: "acme.example",
  socials: {},
  location: {},
  scores: {},
};

/** The answer that brings a page. */
export function pageOf(data: readonly unknown[], meta: object = {}): object {
  return { data, meta };
}

import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { type Dispatcher, request } from "undici";
import { expect, onTestFinished, vi } from "vitest";
import { z } from "zod";

import { readFaultScript } from "../../../../src/cli/serve/fault-script.ts";
import type { orderedFaultNames } from "../../../../src/sandbox/faults/faults.ts";
import { until } from "../../../support/process/process.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { account, gzipOf, started, type SandboxClient } from "../../sandbox/sandbox-client.ts";

/** One account, as a file to PUT. */
export const file = gzipOf([account(1)]);
/** More than the buffers between a client and a server hold. */
const longFile = Buffer.alloc(20_000_000, 1);

/** A sandbox with the faults of a script. */
export async function withScript(yaml: string): Promise<SandboxClient> {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "faults.yaml"), yaml);
  return await started(await readFaultScript("faults.yaml", { cwd, env: {} }));
}

/** The ledger's last line. */
export async function last(client: SandboxClient): Promise<Record<string, unknown> | undefined> {
  return (await client.ledger()).at(-1);
}

/** How a request failed: the code of undici or of the system, otherwise the error's name. */
export async function failure(pending: Promise<unknown>): Promise<string> {
  const error: unknown = await pending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof Error)) throw new Error("the request was answered");
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

const closed = /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/;

/** A PUT whose head and first few bytes were sent, and whose answer came. */
export type BegunPut = {
  readonly text: string;
  readonly socket: Socket;
  /** Resolves when the connection is gone. */
  readonly closing: Promise<void>;
};

/** Begins a PUT and waits for an answer. */
export async function beginPut(client: SandboxClient): Promise<BegunPut> {
  const { hostname, port, pathname, search } = new URL((await client.uploadAddress()).url);
  const socket = connect(Number(port), hostname).setEncoding("utf8");
  onTestFinished(() => void socket.destroy());
  const closing = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const head = `host: ${hostname}\r\ncontent-type: application/jsonl\r\ncontent-encoding: gzip`;
  socket.write(
    `PUT ${pathname}${search} HTTP/1.1\r\n${head}\r\ncontent-length: 200000\r\n\r\nxxxx`,
  );
  const received: unknown[] = await once(socket, "data");
  // If bytes were unread when the server closed, the system resets the connection.
  socket.on("error", () => undefined);
  return { text: String(received[0]), socket, closing };
}

/** Requests to confirm a file, and reads the answer as it comes. */
async function confirming(
  client: SandboxClient,
  fileKey: string,
  signal?: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  return await request(`${client.sandbox.address}/ingestion/confirm-upload`, {
    method: "POST",
    headers: { "x-api-key": "key", "content-type": "application/json" },
    body: JSON.stringify({ file_key: fileKey }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The pieces in which an answer comes; `take` receives each at once. */
async function piecesOf(
  { body }: Dispatcher.ResponseData,
  take: (piece: string) => void = () => undefined,
): Promise<readonly string[]> {
  const pieces: string[] = [];
  for await (const piece of body.setEncoding("utf8")) {
    pieces.push(String(piece));
    take(String(piece));
  }
  return pieces;
}

/** A silence of this length counts as no answer at all. */
const silenceMs = 500;

const basicOfKey = "Basic a2V5Og==";

/** Goes page by page through the companies that the sandbox starts with, for at most this many pages. */
async function accountPages(client: SandboxClient, pagesMax: number): Promise<readonly Page[]> {
  const pages: Page[] = [];
  let cursor: unknown = 0;
  while (pages.length < pagesMax) {
    const { status, body } = await client.post("/search/accounts", { limit: 5, cursor });
    expect(status).toBe(200);
    const page = pageSchema.parse(body);
    pages.push(page);
    cursor = page.meta["next_cursor"];
    if (page.meta["has_next_page"] !== true) break;
  }
  return pages;
}

const pageSchema = z.object({
  data: z.array(z.looseObject({ mk_id: z.string().nullable() })),
  meta: z.record(z.string(), z.unknown()),
});
type Page = z.output<typeof pageSchema>;

function idsOf(pages: readonly Page[]): readonly unknown[] {
  return pages.flatMap(({ data }) => data.map(({ mk_id: id }) => id));
}

/** The effect of each example on a client. */
export const effects: Readonly<
  Record<(typeof orderedFaultNames)[number], (client: SandboxClient) => Promise<void>>
> = {
  answer: async (client) => {
    for (const _ of [1, 2]) {
      const answer = await client.uploadJson([account(1)]);
      expect(answer).toMatchObject({ status: 429, headers: { "retry-after": "3" } });
    }
    expect(await last(client)).toMatchObject({ status: 429, applied: false });
  },
  "answer-and-close": async (client) => {
    const { text, closing } = await beginPut(client);
    expect(text).toMatch(/^HTTP\/1.1 403 [^]*connection: close/);
    await closing;
    expect(await last(client)).toMatchObject({ status: 403, bytes: 0 });
  },
  "early-200": async (client) => {
    const { text, closing } = await beginPut(client);
    expect(text).toMatch(/^HTTP\/1.1 200 /);
    await closing;
    const entry = await last(client);
    expect(entry).toMatchObject({ step: "put", status: 200, bytes: 0, gzip_sha256: null });
  },
  delay: async (client) => {
    const { url } = await client.uploadAddress();
    const since = performance.now();
    expect((await client.put(url, file)).status).toBe(200);
    expect(performance.now() - since).toBeGreaterThan(190);
  },
  hold: async (client) => {
    const fileKey = await client.upload(file);
    const asking = request(`${client.sandbox.address}/ingestion/confirm-upload`, {
      method: "POST",
      headers: { "x-api-key": "key", "content-type": "application/json" },
      body: JSON.stringify({ file_key: fileKey }),
      signal: AbortSignal.timeout(50),
    });
    expect(await failure(asking)).toBe("TimeoutError");
    expect(await last(client)).toMatchObject({ step: "put" });
    const entry = await until(async () =>
      (await client.ledger()).find((each) => each["step"] === "confirm-upload"),
    );
    expect(entry).toMatchObject({ fault: "hold", applied: true });
  },
  reset: async (client) => {
    const { url } = await client.uploadAddress();
    expect(await failure(client.put(url, longFile))).toMatch(closed);
    const entry = await last(client);
    expect(Number(entry?.["bytes"])).toBeGreaterThanOrEqual(64 * 1024);
    expect(Number(entry?.["bytes"])).toBeLessThan(1_000_000);
  },
  "stop-reading": async (client) => {
    const silence = new AbortController();
    const { url } = await client.uploadAddress();
    const sending = request(url, {
      method: "PUT",
      headers: { "content-type": "application/jsonl", "content-encoding": "gzip" },
      body: longFile,
      signal: silence.signal,
    });
    const failed = failure(sending);
    const entry = await until(async () => (await client.ledger()).at(1));
    expect(entry).toMatchObject({ step: "put", status: null });
    expect(Number(entry["bytes"])).toBeLessThan(1_000_000);
    await delay(silenceMs);
    silence.abort();
    expect(await failed).toBe("AbortError");
  },
  "drop-request": async (client) => {
    for (const _ of [1, 2]) expect(await failure(client.uploadJson([account(1)]))).toMatch(closed);
    expect(await last(client)).toMatchObject({ status: null, applied: false });
    expect((await client.uploadJson([account(1)])).status).toBe(200);
  },
  "drop-reply": async (client) => {
    expect(await failure(client.confirm(await client.upload(file)))).toMatch(closed);
    expect(await last(client)).toMatchObject({ status: 200, applied: true });
  },
  "no-answer": async (client) => {
    const silence = new AbortController();
    const asking = request(`${client.sandbox.address}/ingestion/upload-json`, {
      method: "POST",
      headers: { "x-api-key": "key", "content-type": "application/json" },
      body: JSON.stringify({ stream: "account", data: [account(1)] }),
      signal: silence.signal,
    });
    const failed = failure(asking);
    const entry = await until(async () => await last(client));
    expect(entry).toMatchObject({ status: 200, applied: true });
    await delay(silenceMs);
    silence.abort();
    expect(await failed).toBe("AbortError");
  },
  "cut-answer": async (client) => {
    const fileKey = await client.upload(file);
    const answer = await confirming(client, fileKey);
    expect(Object.keys(answer.headers).toSorted()).toEqual(["connection", "content-type", "date"]);
    expect((await piecesOf(answer)).join("")).toBe('{"status":');
    expect(await last(client)).toMatchObject({ status: 200, applied: true });
  },
  drip: async (client) => {
    const answer = await request(`${client.sandbox.address}/v1/ping`, {
      headers: { authorization: basicOfKey },
    });
    expect(await piecesOf(answer)).toEqual('{"status":"ok"}'.split(""));
  },
  stall: async (client) => {
    const fileKey = await client.upload(file);
    const silence = new AbortController();
    const answer = await confirming(client, fileKey, silence.signal);
    expect(answer.statusCode).toBe(200);
    let text = "";
    const failed = failure(piecesOf(answer, (piece) => (text += piece)));
    await until(async () => text.length >= 5);
    await delay(silenceMs);
    silence.abort();
    expect(await failed).toBe("AbortError");
    expect(text).toBe('{"sta');
  },
  "wrong-json": async (client) => {
    const { status, body } = await client.uploadJson([account(1)]);
    expect([status, body]).toEqual([200, { ok: [1, null] }]);
    expect(await client.records()).toHaveLength(1);
  },
  "not-json": async (client) => {
    const answering = client.confirm(await client.upload(file));
    await expect(answering).rejects.toThrow(SyntaxError);
    expect(await client.records()).toHaveLength(1);
  },
  html: async (client) => {
    const { headers, body } = await client.get("/v1/ping", { authorization: basicOfKey });
    expect([headers["content-type"], String(body).slice(0, 5)]).toEqual(["text/html", "<!doc"]);
  },
  "expire-url": async (client) => {
    const { url } = await client.uploadAddress();
    expect(Number(new URL(url).searchParams.get("expires"))).toBe(0);
    expect((await client.put(url, file)).status).toBe(403);
    expect((await client.ledger())[0]).toMatchObject({ status: 200, fault: "expire-url" });
  },
  "unsafe-url": async (client) => {
    expect(new URL((await client.uploadAddress()).url).host).toBe("10.0.0.1");
  },
  "same-key": async (client) => {
    const first = await client.uploadAddress();
    const second = await client.uploadAddress();
    expect(second.fileKey).toBe(first.fileKey);
    expect((await client.put(second.url, file)).status).toBe(200);
    expect((await client.ledger())[1]).toMatchObject({ fault: "same-key" });
    expect((await client.uploadAddress()).fileKey).not.toBe(first.fileKey);
  },
  "not-found-yet": async (client) => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000_000_000 });
    try {
      const fileKey = await client.upload(file);
      vi.setSystemTime(1_000_000_001_999);
      expect((await client.confirm(fileKey)).status).toBe(404);
      expect(await last(client)).toMatchObject({ fault: "not-found-yet", file_key: fileKey });
      vi.setSystemTime(1_000_000_002_000);
      expect((await client.confirm(fileKey)).status).toBe(200);
      expect(await last(client)).toMatchObject({ fault: null, applied: true });
    } finally {
      vi.useRealTimers();
    }
  },
  "bad-cursor": async (client) => {
    const [, second, third] = await accountPages(client, 3);
    expect(second?.meta).toEqual({ limit: 5, total: 40, has_next_page: true, next_cursor: 5 });
    expect(third?.data).toEqual(second?.data);
  },
  "missing-meta": async (client) => {
    const answer = await client.post("/enrichment/job-postings", { domain: "delta-foods.example" });
    expect(answer.body).toMatchObject({ meta: { limit: 20, total: 73, next_cursor: 20 } });
    expect(answer.body).not.toHaveProperty("meta.has_next_page");
  },
  "false-total": async (client) => {
    const [first, second] = await accountPages(client, 2);
    expect([first?.meta["total"], second?.meta["total"]]).toEqual([37, 40]);
  },
  "empty-page": async (client) => {
    const pages = await accountPages(client, 20);
    expect(pages.slice(0, 4).map(({ data }) => data.length)).toEqual([0, 0, 0, 5]);
    expect(new Set(idsOf(pages)).size).toBe(40);
    expect(idsOf(pages)).toEqual(idsOf(await accountPages(client, 20)));
  },
  "shift-page": async (client) => {
    const pages = await accountPages(client, 20);
    expect(pages[1]?.data[0]).toEqual(pages[0]?.data.at(-1));
    expect(idsOf(pages)).toHaveLength(41);
    expect(new Set(idsOf(pages)).size).toBe(40);
  },
  "poison-item": async (client) => {
    const pages = await accountPages(client, 20);
    expect(pages[6]?.data.map(({ mk_id: id }) => id === null)).toEqual([
      false,
      false,
      true,
      false,
      false,
    ]);
    expect(idsOf(pages).filter((id) => id !== null)).toHaveLength(39);
  },
};

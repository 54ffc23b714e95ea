import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { type Dispatcher, request } from "undici";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";

import {
  type Sandbox,
  type SandboxSettings,
  startSandbox,
} from "../../../src/sandbox/http/server.ts";

/** An answer with its body read; `body` is the parsed JSON, or the text of anything else. */
export type Answer = { status: number; headers: Dispatcher.ResponseData["headers"]; body: unknown };

/** The answer of generate-upload-url. */
export const addressSchema = z.object({ upload_url: z.string(), file_key: z.string() });
const entrySchema = z.looseObject({
  t: z.iso.datetime(),
  step: z.string(),
  file_key: z.string().nullable(),
  status: z.int().nullable(),
  applied: z.boolean(),
});
const visibleSchema = z.strictObject({
  stream: z.string(),
  record: z.looseObject({}),
  file_key: z.string(),
});

/** Any text, inside an expected value. */
export const someText: unknown = expect.any(String);

/** A text matcher, inside an expected value. */
export function textLike(matcher: unknown): unknown {
  return matcher;
}

/** A folder that is removed when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sandbox-test-"));
  onTestFinished(async () => {
    await rm(folder, { recursive: true });
  });
  return folder;
}

/** Starts a sandbox on a free port that closes when the test ends. */
export async function started(settings: Partial<SandboxSettings> = {}): Promise<SandboxClient> {
  const dataFolder = settings.dataFolder ?? join(await temporaryFolder(), "data");
  const sandbox = await startSandbox({ host: "127.0.0.1", port: 0, ...settings, dataFolder });
  const client = new SandboxClient(sandbox, dataFolder);
  onTestFinished(async () => {
    await client.close();
  });
  return client;
}

/** An account record of this number. */
export function account(number: number): Record<string, unknown> {
  return {
    type: "account",
    account_id: `A-${number}`,
    domain: `company-${number}.example`,
    account_properties: { name: `Société ${number}`, employees: number },
  };
}

/** Records as a gzip-compressed JSONL file. */
export function gzipOf(records: readonly unknown[]): Buffer {
  return gzipSync(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
}

/** The requests of the API document, sent by a minimal client. */
export class SandboxClient {
  readonly sandbox: Sandbox;
  readonly dataFolder: string;
  #closed: Promise<void> | undefined;

  constructor(sandbox: Sandbox, dataFolder: string) {
    this.sandbox = sandbox;
    this.dataFolder = dataFolder;
  }

  async close(): Promise<void> {
    this.#closed ??= this.sandbox.close();
    await this.#closed;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return await read(await request(`${this.sandbox.address}${path}`, { headers }));
  }

  /** POSTs a value as JSON, but a text or bytes unchanged. */
  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return await read(
      await request(`${this.sandbox.address}${path}`, {
        method: "POST",
        headers: { "x-api-key": "key", "content-type": "application/json", ...headers },
        body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
    );
  }

  async uploadJson(data: readonly unknown[], stream = "account"): Promise<Answer> {
    return await this.post("/ingestion/upload-json", { stream, data });
  }

  async uploadAddress(stream = "account"): Promise<{ url: string; fileKey: string }> {
    const answer = await this.post("/ingestion/generate-upload-url", {
      stream,
      content_type: "application/jsonl",
      content_encoding: "gzip",
    });
    const { upload_url: url, file_key: fileKey } = addressSchema.parse(answer.body);
    return { url, fileKey };
  }

  async put(url: string, body: Buffer, headers: Record<string, string> = {}): Promise<Answer> {
    return await read(
      await request(url, {
        method: "PUT",
        headers: {
          "content-type": "application/jsonl",
          "content-encoding": "gzip",
          ...headers,
        },
        body,
      }),
    );
  }

  async confirm(fileKey: string, apiKey = "key"): Promise<Answer> {
    return await this.post(
      "/ingestion/confirm-upload",
      { file_key: fileKey },
      { "x-api-key": apiKey },
    );
  }

  /** Requests an address and PUTs the file. Returns the file key. */
  async upload(file: Buffer, stream = "account"): Promise<string> {
    const { url, fileKey } = await this.uploadAddress(stream);
    const { status } = await this.put(url, file);
    if (status !== 200) throw new Error(`PUT: ${status}`);
    return fileKey;
  }

  async ledger(): Promise<z.output<typeof entrySchema>[]> {
    return lines(await this.get("/_sandbox/ledger")).map((line) => entrySchema.parse(line));
  }

  async records(stream = "account"): Promise<z.output<typeof visibleSchema>[]> {
    const answer = await this.get(`/_sandbox/records?stream=${stream}`);
    return lines(answer).map((line) => visibleSchema.parse(line));
  }
}

async function read(answer: Dispatcher.ResponseData): Promise<Answer> {
  const text = await answer.body.text();
  const isJson = answer.headers["content-type"] === "application/json";
  const body: unknown = isJson ? JSON.parse(text) : text;
  return { status: answer.statusCode, headers: answer.headers, body };
}

function lines({ body }: Answer): unknown[] {
  return String(body)
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}

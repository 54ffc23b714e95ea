import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

import type { z } from "zod";

import { type Answer, invalid, json, message } from "./answers.ts";
import type { ApiKeys } from "./api-keys.ts";
import type { Call, Outcome, StepHandler } from "./exchange.ts";
import { refusedRecordsMax } from "./limits.ts";
import { checkRecord, issuesAt, issuesOf } from "./record-check.ts";
import { readBody } from "./request-body.ts";
import {
  confirmUploadBody,
  generateUploadUrlBody,
  type Stream,
  uploadJsonBody,
} from "./schemas.ts";
import { signUpload } from "./signature.ts";
import { storagePath } from "./storage.ts";
import type { UploadStore } from "./upload-store.ts";
import type { Issue, Upload } from "./upload.ts";

/** What the ingestion steps are given. */
export type IngestionParts = {
  readonly store: UploadStore;
  readonly keys: ApiKeys;
  readonly signingKey: Buffer;
  readonly bodyBytesMax: number;
  readonly uploadUrlTtlMs: number;
  readonly rejects: "at-confirm" | "silent";
  /** What an upload address begins with, for a request. */
  readonly origin: (request: IncomingMessage) => string;
};

/** The POST endpoints under `/ingestion` (contract, 4.2 and 4.3). */
export class Ingestion {
  readonly #parts: IngestionParts;

  constructor(parts: IngestionParts) {
    this.#parts = parts;
  }

  /** POST /ingestion/upload-json: applies all records, or none. */
  readonly uploadJson: StepHandler = async (call) => {
    const asked = await this.#read(call, uploadJsonBody);
    if ("refusal" in asked) return () => asked.refusal;
    const { stream, data } = asked.body;
    const entry = { records: data.length, bytes: asked.bytes };
    const issues = issuesOfRecords(stream, data);
    if (issues.length > 0) return () => ({ answer: invalid(issues), entry });
    const fileKey = newFileKey(stream, "jsonl");
    const content = await this.#parts.store.files.write(fileKey, data);
    const upload: Upload = { fileKey, stream, owner: asked.owner, content, isConfirmed: true };
    return () => ({
      answer: json(200, {
        status: "success",
        message: `${data.length} records accepted`,
        file_key: fileKey,
      }),
      entry: { ...entry, file_key: fileKey, jsonl_sha256: content.jsonlSha256, applied: true },
      upload,
    });
  };

  /** POST /ingestion/generate-upload-url: gives a new file key and a signed address to PUT it to. */
  readonly generateUploadUrl: StepHandler = async (call) => {
    const asked = await this.#read(call, generateUploadUrlBody);
    if ("refusal" in asked) return () => asked.refusal;
    const { stream } = asked.body;
    const fileKey = newFileKey(stream, "jsonl.gz");
    const endMs = call.expireUrl ? 0 : Date.now() + this.#parts.uploadUrlTtlMs;
    const expires = String(Math.floor(endMs / 1_000));
    const signature = signUpload(this.#parts.signingKey, { fileKey, expires });
    const address = `${this.#parts.origin(call.request)}${storagePath}${fileKey}`;
    return () => ({
      answer: json(200, {
        upload_url: `${address}?expires=${expires}&signature=${signature}`,
        file_key: fileKey,
      }),
      entry: { file_key: fileKey, bytes: asked.bytes },
      upload: { fileKey, stream, owner: asked.owner, isConfirmed: false },
    });
  };

  /** POST /ingestion/confirm-upload: applies what was PUT, by the verdict found while it came. */
  readonly confirmUpload: StepHandler = async (call) => {
    const asked = await this.#read(call, confirmUploadBody);
    if ("refusal" in asked) return () => asked.refusal;
    return () => this.#confirm({ ...asked, fileKey: asked.body.file_key });
  };

  #confirm(asked: { fileKey: string; owner: string; bytes: number }): Outcome {
    const upload = this.#parts.store.get(asked.fileKey);
    const content = upload?.content;
    if (upload === undefined || content === undefined || upload.owner !== asked.owner) {
      const text =
        "No upload with this file_key; generate an upload address and PUT the file first";
      return { answer: message(404, text), entry: { bytes: asked.bytes } };
    }
    const entry = {
      file_key: upload.fileKey,
      gzip_sha256: content.gzipSha256,
      jsonl_sha256: content.jsonlSha256,
      records: content.records,
      bytes: asked.bytes,
    };
    if (content.issues.length > 0 && this.#parts.rejects === "at-confirm") {
      return { answer: invalid(content.issues), entry };
    }
    const answer = json(200, {
      status: "success",
      message: "Upload confirmed, processing has started",
    });
    if (upload.isConfirmed) return { answer, entry };
    return {
      answer,
      entry: { ...entry, applied: content.diskName !== null },
      upload: { ...upload, isConfirmed: true },
    };
  }

  /** Lets the key in, then reads and parses the body, or says how the request is refused. */
  async #read<Schema extends z.ZodType>(
    { request }: Call,
    schema: Schema,
  ): Promise<{ refusal: Outcome } | { body: z.output<Schema>; owner: string; bytes: number }> {
    const owner = this.#parts.keys.owner(request.headers["x-api-key"]);
    if (owner === undefined) return refuse(message(401, "x-api-key is missing or not valid"), 0);
    if (!/^application\/json\s*(;|$)/i.test(request.headers["content-type"] ?? "")) {
      return refuse(message(415, "Content-Type must be application/json"), 0);
    }
    const { bodyBytesMax } = this.#parts;
    const { text, bytes } = await readBody(request, bodyBytesMax);
    if (text === undefined) {
      return refuse(message(413, `The body is larger than ${bodyBytesMax} bytes`), bytes);
    }
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      const issue = { loc: ["body"], msg: "Body is not JSON", type: "json_invalid" };
      return refuse(invalid([issue]), bytes);
    }
    const parsed = schema.safeParse(body);
    if (!parsed.success) return refuse(invalid(issuesAt(["body"], issuesOf(parsed.error))), bytes);
    return { body: parsed.data, owner, bytes };
  }
}

function refuse(answer: Answer, bytes: number): { refusal: Outcome } {
  return { refusal: { answer, entry: { bytes } } };
}

function issuesOfRecords(stream: Stream, data: readonly unknown[]): readonly Issue[] {
  const issues: Issue[] = [];
  let refused = 0;
  for (const [index, record] of data.entries()) {
    const found = issuesAt(["body", "data", index], checkRecord(stream, record));
    if (found.length > 0) refused += 1;
    issues.push(...found);
    if (refused === refusedRecordsMax) break;
  }
  return issues;
}

function newFileKey(stream: Stream, ending: "jsonl" | "jsonl.gz"): string {
  return `uploads/${stream}/${randomUUID()}.${ending}`;
}

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";

import { faultName } from "../faults/faults.ts";
import { invalid, json, message } from "../http/answers.ts";
import type { SandboxCall, ExchangeOutcome, StepHandler } from "../http/exchange.ts";
import type { JsonRequests } from "../http/json-requests.ts";
import { refusedRecordsMax } from "../limits.ts";
import {
  confirmUploadBody,
  generateUploadUrlBody,
  type SandboxStream,
  uploadJsonBody,
} from "../schemas.ts";
import { type Step, storagePath } from "../steps.ts";
import { checkRecord, issuesAt } from "./record-check.ts";
import { signUpload } from "./signature.ts";
import { unsafeAddress } from "./unsafe-address.ts";
import type { UploadStore } from "./upload-store.ts";
import type { UploadIssue, Upload } from "./upload.ts";

/** The parts that the ingestion steps use. */
export type IngestionParts = {
  readonly store: UploadStore;
  readonly requests: JsonRequests;
  readonly signingKey: Buffer;
  readonly uploadUrlTtlMs: number;
  readonly rejects: "at-confirm" | "silent";
  /** Whether a repeated confirm does nothing (lenient) or applies its file again (strict). */
  readonly confirms: "lenient" | "strict";
  /** The beginning of an upload address, for a request. */
  readonly origin: (request: IncomingMessage) => string;
};

/** The POST endpoints under `/ingestion` (docs/facts/service.md#heavyweight). */
export class Ingestion {
  readonly #parts: IngestionParts;
  /** The last file key given, by owner and stream. */
  readonly #lastKeys = new Map<string, string>();

  constructor(parts: IngestionParts) {
    this.#parts = parts;
  }

  /** The handler of each step. */
  readonly steps = {
    /** Applies all records, or none. */
    "upload-json": async (call) => {
      const asked = await this.#parts.requests.read(call, uploadJsonBody);
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
    },
    /** Returns a new file key and a signed address to PUT its file to. */
    "generate-upload-url": async (call) => {
      const asked = await this.#parts.requests.read(call, generateUploadUrlBody);
      if ("refusal" in asked) return () => asked.refusal;
      return () => this.#giveAddress(call, { ...asked, stream: asked.body.stream });
    },
    /** Applies the file that was PUT, or names the lines that were found wrong while it came in. */
    "confirm-upload": async (call) => {
      const asked = await this.#parts.requests.read(call, confirmUploadBody);
      if ("refusal" in asked) return () => asked.refusal;
      return () => this.#confirm(call, { ...asked, fileKey: asked.body.file_key });
    },
  } satisfies Partial<Record<Step, StepHandler>>;

  #giveAddress(
    { request, fault }: SandboxCall,
    asked: { readonly stream: SandboxStream; readonly owner: string; readonly bytes: number },
  ): ExchangeOutcome {
    const { stream, owner, bytes } = asked;
    const last = `${owner} ${stream}`;
    const isToRepeat = fault !== undefined && "sameKey" in fault;
    const usedKey = isToRepeat ? this.#lastKeys.get(last) : undefined;
    const fileKey = usedKey ?? newFileKey(stream, "jsonl.gz");
    this.#lastKeys.set(last, fileKey);
    const isExpired = fault !== undefined && "expireUrl" in fault;
    const endMs = isExpired ? 0 : Date.now() + this.#parts.uploadUrlTtlMs;
    const expires = String(Math.floor(endMs / 1_000));
    const signature = signUpload(this.#parts.signingKey, { fileKey, expires });
    const origin = this.#parts.origin(request);
    const safe = `${origin}${storagePath}${fileKey}?expires=${expires}&signature=${signature}`;
    const unsafe = fault !== undefined && "unsafeUrl" in fault ? fault.unsafeUrl : undefined;
    const isHit =
      fault !== undefined && (isExpired || unsafe !== undefined || usedKey !== undefined);
    return {
      answer: json(200, {
        upload_url: unsafe === undefined ? safe : unsafeAddress(safe, unsafe),
        file_key: fileKey,
      }),
      entry: {
        file_key: fileKey,
        bytes,
        ...(isHit && { fault: faultName(fault) }),
      },
      upload: usedKey === undefined ? { fileKey, stream, owner, isConfirmed: false } : undefined,
    };
  }

  #confirm(
    { fault }: SandboxCall,
    asked: { readonly fileKey: string; readonly owner: string; readonly bytes: number },
  ): ExchangeOutcome {
    const upload = this.#parts.store.get(asked.fileKey);
    const content = upload?.content;
    if (upload === undefined || upload.owner !== asked.owner) {
      return { answer: noUpload, entry: { bytes: asked.bytes } };
    }
    if (content === undefined) {
      return { answer: noUpload, entry: { file_key: upload.fileKey, bytes: asked.bytes } };
    }
    if (fault !== undefined && "notFoundMs" in fault) {
      const visibleAtMs = (content.storedAtMs ?? 0) + fault.notFoundMs;
      if (Date.now() < visibleAtMs) {
        const facts = { file_key: upload.fileKey, bytes: asked.bytes };
        return { answer: noUpload, entry: { ...facts, fault: faultName(fault) } };
      }
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
    if (upload.isConfirmed && this.#parts.confirms === "lenient") return { answer, entry };
    return {
      answer,
      entry: { ...entry, applied: content.diskName !== null },
      upload: { ...upload, isConfirmed: true },
    };
  }
}

const noUpload = message(
  404,
  "No upload with this file_key; generate an upload address and PUT the file first",
);

function issuesOfRecords(stream: SandboxStream, data: readonly unknown[]): readonly UploadIssue[] {
  const issues: UploadIssue[] = [];
  let refused = 0;
  for (const [index, record] of data.entries()) {
    const found = issuesAt(["body", "data", index], checkRecord(stream, record));
    if (found.length > 0) refused += 1;
    issues.push(...found);
    if (refused === refusedRecordsMax) break;
  }
  return issues;
}

function newFileKey(stream: SandboxStream, ending: "jsonl" | "jsonl.gz"): string {
  return `uploads/${stream}/${randomUUID()}.${ending}`;
}

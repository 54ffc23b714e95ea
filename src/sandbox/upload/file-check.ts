import { once } from "node:events";
import { createGunzip } from "node:zlib";

import {
  inflatedBytesMax,
  inflatePieceBytes,
  inflationFreeBytes,
  inflationRatioMax,
} from "../limits.ts";
import type { SandboxStream } from "../schemas.ts";
import { LineCheck } from "./line-check.ts";
import type { UploadIssue } from "./upload.ts";

/** The verdict on a file, with which confirm will answer. */
export type FileVerdict = {
  /** Empty when every line may be applied. */
  readonly issues: readonly UploadIssue[];
  /** Lines seen: all of them, unless the check ended early. */
  readonly records: number;
  /** The hash of the inflated bytes; null when the check ended early. */
  readonly jsonlSha256: string | null;
  /** Compressed bytes up to the end of the last gzip member; what follows them in an accepted file must be zeros. */
  readonly memberBytes: number;
};

/** Whether the number of inflated bytes, or its ratio to the received ones, makes a file a bomb. */
export function isBomb(bytes: { readonly received: number; readonly inflated: number }): boolean {
  if (bytes.inflated > inflatedBytesMax) return true;
  return bytes.inflated > inflationFreeBytes && bytes.inflated > bytes.received * inflationRatioMax;
}

/**
 * Inflates and checks a file while its compressed bytes arrive, on zlib's threads and in pieces, so that the verdict is
 * known when the last byte has arrived.
 */
export class FileCheck {
  readonly #gunzip = createGunzip({ chunkSize: inflatePieceBytes });
  readonly #lines: LineCheck;
  readonly #done: Promise<void>;
  #received = 0;
  #inflated = 0;
  #isDone = false;
  #problem: string | undefined;

  constructor(stream: SandboxStream) {
    this.#lines = new LineCheck(stream);
    this.#done = this.#readAll();
  }

  /** Takes the next compressed bytes; resolves when more may come. Never rejects: faults are in the verdict. */
  async write(chunk: Buffer): Promise<void> {
    this.#received += chunk.length;
    if (this.#isDone || this.#gunzip.write(chunk)) return;
    // A bad or finished gzip never drains; it ends the reading instead.
    await Promise.race([once(this.#gunzip, "drain").catch(() => undefined), this.#done]);
  }

  /** The verdict, after the last byte. */
  async end(): Promise<FileVerdict> {
    if (!this.#isDone) this.#gunzip.end();
    await this.#done;
    const isWhole = this.#problem === undefined && !this.#lines.isOver;
    const jsonlSha256 = isWhole ? this.#lines.end() : null;
    const { issues, records } = this.#lines;
    return {
      issues: this.#problem === undefined ? issues : [...issues, fileIssue(this.#problem)],
      records,
      jsonlSha256,
      memberBytes: this.#gunzip.bytesWritten,
    };
  }

  /** Frees zlib's memory when no verdict is wanted any more. */
  abandon(): void {
    this.#gunzip.destroy();
  }

  async #readAll(): Promise<void> {
    try {
      for await (const piece of this.#gunzip as AsyncIterable<Buffer>) {
        this.#inflated += piece.length;
        // A gunzip stream has no limit of its own: maxOutputLength applies only to the one-shot functions.
        if (isBomb({ received: this.#received, inflated: this.#inflated })) {
          this.#problem = "File inflates to more than is accepted";
          break;
        }
        this.#lines.add(piece);
        if (this.#lines.isOver) break;
      }
    } catch (error) {
      this.#problem = `File is not a whole gzip: ${error instanceof Error ? error.message : "unreadable"}`;
    } finally {
      this.#isDone = true;
    }
  }
}

/** An issue of a file as a whole. */
export function fileIssue(msg: string): UploadIssue {
  return { loc: ["file"], msg, type: "file_invalid" };
}

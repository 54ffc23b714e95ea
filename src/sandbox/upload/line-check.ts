import { createHash } from "node:crypto";

import { recordBytesMax } from "../../limits.ts";
import { refusedRecordsMax } from "../limits.ts";
import type { SandboxStream } from "../schemas.ts";
import { type Line, LineSplitter } from "./line-splitter.ts";
import { checkRecord, issuesAt } from "./record-check.ts";
import type { UploadIssue } from "./upload.ts";

/** Checks the lines of one file against its stream's schema while its inflated bytes arrive. */
export class LineCheck {
  readonly #stream: SandboxStream;
  readonly #lines = new LineSplitter();
  readonly #hash = createHash("sha256");
  readonly #issues: UploadIssue[] = [];
  #refused = 0;
  #records = 0;
  #isOver = false;

  constructor(stream: SandboxStream) {
    this.#stream = stream;
  }

  /** The issues so far; `loc` is ["file", n, field], n counted from 0. */
  get issues(): readonly UploadIssue[] {
    return this.#issues;
  }

  /** Lines seen so far, the refused ones included. */
  get records(): number {
    return this.#records;
  }

  /** Whether more bytes would be useless: the file is refused and no further line will be named. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Checks every line that ends in this piece. */
  add(piece: Buffer): void {
    this.#hash.update(piece);
    this.#checkLines(this.#lines.push(piece));
    if (this.#lines.pendingBytes > recordBytesMax) this.#refuseTooLong();
  }

  /** Checks the last line, and returns the SHA-256 of all bytes. */
  end(): string {
    this.#checkLines(this.#lines.end());
    return this.#hash.digest("hex");
  }

  #checkLines(lines: readonly Line[]): void {
    for (const line of lines) {
      if (this.#isOver) return;
      // A character takes at most three bytes, so that almost no line needs counting.
      if (line !== undefined && line.length * 3 > recordBytesMax && isTooLong(line)) {
        this.#refuseTooLong();
        return;
      }
      const issues = this.#check(line);
      if (issues.length > 0) this.#refuse(issues);
      this.#records += 1;
    }
  }

  #check(line: Line): readonly UploadIssue[] {
    if (line === undefined) return [{ loc: [], msg: "Line is not UTF-8", type: "json_invalid" }];
    try {
      return checkRecord(this.#stream, JSON.parse(line));
    } catch {
      return [{ loc: [], msg: "Line is not JSON", type: "json_invalid" }];
    }
  }

  #refuseTooLong(): void {
    this.#refuse([
      { loc: [], msg: `Line is longer than ${recordBytesMax} bytes`, type: "too_long" },
    ]);
    this.#isOver = true;
  }

  #refuse(issues: readonly UploadIssue[]): void {
    this.#issues.push(...issuesAt(["file", this.#records], issues));
    this.#refused += 1;
    if (this.#refused === refusedRecordsMax) this.#isOver = true;
  }
}

function isTooLong(line: string): boolean {
  return Buffer.byteLength(line) > recordBytesMax;
}

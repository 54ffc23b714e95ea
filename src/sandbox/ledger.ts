import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

import { z } from "zod";

import { faultNames } from "./faults/faults.ts";
import { steps } from "./steps.ts";
import { type Line, LineSplitter } from "./upload/line-splitter.ts";
import { uploadSchema } from "./upload/upload.ts";

const pageSchema = z.object({
  of: z.enum(["accounts", "persons", "job_postings"]),
  /** A hash of the query without the cursor and the domain: the pages of one pass have the same hash. */
  query: z.string(),
  /** The company's domain, for job postings. */
  domain: z.string().optional(),
  cursor: z.int(),
  /** How many items the page holds. */
  items: z.int(),
});

const entrySchema = z.object({
  /** When the request was done, ISO 8601. */
  t: z.string(),
  step: z.enum(steps),
  file_key: z.string().nullable(),
  /** The hash of the bytes PUT; null where there were none. */
  gzip_sha256: z.string().nullable(),
  /**
   * The hash of the inflated bytes; for a JSON upload, of its records, each as JSON.stringify writes it and ended by a
   * line feed.
   */
  jsonl_sha256: z.string().nullable(),
  /** Records in the body or file; null where there is none. */
  records: z.int().nullable(),
  /** Bytes of the request's body that were read. */
  bytes: z.int(),
  /** The answer's status; null when the connection was gone, or was to be closed, before anything was done. */
  status: z.int().nullable(),
  /**
   * Whether this request made records visible: an accepted upload-json, or an accepted confirm, in lenient
   * mode only the first of a file.
   */
  applied: z.boolean(),
  /** The intended fault that hit the request; null where there was none. */
  fault: z.enum(faultNames).nullable().default(null),
  /** The page that a search or enrichment call was answered with; absent where there was none. */
  page: pageSchema.optional(),
});

const lineSchema = z.object({ entry: entrySchema, upload: uploadSchema.optional() });

/** The ledger's record of one request. */
export type LedgerEntry = Readonly<z.output<typeof entrySchema>>;

/** One line of the file: the entry that is shown, and the resulting state of its upload. */
export type LedgerLine = Readonly<z.output<typeof lineSchema>>;

/**
 * The append-only file that holds everything the sandbox knows: replayed at the start, and written and flushed before
 * each answer. Lines that come while the disk is busy are flushed together, so that many clients cost one flush.
 */
export class Ledger {
  readonly #path: string;
  readonly #file: FileHandle;
  #bytes: number;
  #waiting: string[] = [];
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  private constructor(path: string, parts: { readonly file: FileHandle; readonly bytes: number }) {
    this.#path = path;
    this.#file = parts.file;
    this.#bytes = parts.bytes;
  }

  /**
   * Opens the file, hands over its lines in order, and cuts off a line whose writing a crash interrupted.
   * @throws when a whole line cannot be read: the file was changed by hand.
   */
  static async open(path: string, replay: (line: LedgerLine) => void): Promise<Ledger> {
    const file = await open(path, "a", 0o600);
    try {
      const { size } = await file.stat();
      const splitter = new LineSplitter();
      for await (const lines of linesOf({ path, bytes: size, splitter })) lines.forEach(replay);
      const bytes = size - splitter.pendingBytes;
      await file.truncate(bytes);
      return new Ledger(path, { file, bytes });
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /**
   * Adds a line after all earlier ones; resolves when it is on disk. After one failure every later line fails too,
   * because the state in memory is then ahead of the file.
   */
  async append(line: LedgerLine): Promise<void> {
    this.#waiting.push(`${JSON.stringify(line)}\n`);
    if (this.#next === undefined) {
      this.#next = this.#flushAfter(this.#last);
      this.#last = this.#next;
    }
    await this.#next;
  }

  /** The entries so far as JSON lines. */
  async *entries(): AsyncGenerator<string> {
    const splitter = new LineSplitter();
    for await (const lines of linesOf({ path: this.#path, bytes: this.#bytes, splitter })) {
      yield lines.map(({ entry }) => `${JSON.stringify(entry)}\n`).join("");
    }
  }

  /** Closes the file after the last line. */
  async close(): Promise<void> {
    await this.#last.catch(() => undefined);
    await this.#file.close();
  }

  async #flushAfter(before: Promise<void>): Promise<void> {
    await before;
    const text = Buffer.from(this.#waiting.join(""));
    this.#waiting = [];
    this.#next = undefined;
    await this.#file.appendFile(text);
    await this.#file.datasync();
    this.#bytes += text.length;
  }
}

/** The whole lines in the first `bytes` of the file, some at a time; an unfinished line stays in the splitter. */
async function* linesOf(from: {
  readonly path: string;
  readonly bytes: number;
  readonly splitter: LineSplitter;
}): AsyncGenerator<LedgerLine[]> {
  if (from.bytes === 0) return;
  const pieces = createReadStream(from.path, { end: from.bytes - 1 });
  for await (const piece of pieces as AsyncIterable<Buffer>) {
    const lines = from.splitter.push(piece).map(parse);
    if (lines.length > 0) yield lines;
  }
}

function parse(line: Line): LedgerLine {
  return lineSchema.parse(JSON.parse(line ?? ""));
}

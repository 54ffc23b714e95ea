import { createReadStream } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { createGunzip } from "node:zlib";

import { indexPieceBytes } from "./limits.ts";
import type { SandboxStream } from "./schemas.ts";
import { LineSplitter } from "./upload/line-splitter.ts";
import type { Applied } from "./upload/upload-store.ts";

const schema =
  "create table if not exists files (number integer primary key, file_key text not null, done integer not null)";

/** One line of an applied upload; it was checked when it came. */
export type AppliedLine = {
  readonly stream: SandboxStream;
  readonly text: string;
  /** The number of its file in the table `files`. */
  readonly file: number;
};

/** The target of the lines. */
export type AppliedTarget = {
  readonly db: DatabaseSync;
  /** Other streams are skipped. */
  readonly streams: readonly SandboxStream[];
  /** Called inside a transaction, possibly twice for the same line. */
  readonly take: (line: AppliedLine) => void;
};

/** Reads the applied uploads into a database, whose table `files` records the progress. */
export class AppliedReader {
  readonly #target: AppliedTarget;
  #work: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(target: AppliedTarget) {
    this.#target = target;
    target.db.exec(schema);
  }

  /**
   * Reads the uploads that are not in the database yet, in the given order. A file that a crash interrupted is read
   * again from its start: writing the same versions in the same order changes nothing.
   */
  async catchUp(applied: readonly Applied[], pathOf: (diskName: string) => string): Promise<void> {
    const until = applied.length;
    const before = this.#work;
    const work = async (): Promise<void> => {
      await before;
      const { db } = this.#target;
      const done = db.prepare("select count(*) as files from files where done = 1").get();
      const missing = applied.slice(Number(done?.["files"]), until);
      for (const [index, file] of missing.entries()) {
        const number = until - missing.length + index;
        await this.#readIn(file, { number, path: pathOf(file.diskName) });
      }
    };
    const working = work();
    this.#work = working.catch(() => undefined);
    await working;
  }

  /** Stops reading at the next piece; the database may be closed when this resolves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#work;
  }

  async #readIn(
    { fileKey, stream }: Applied,
    at: { readonly number: number; readonly path: string },
  ): Promise<void> {
    const { db, streams } = this.#target;
    db.prepare("insert or replace into files (number, file_key, done) values (?, ?, 0)").run(
      at.number,
      fileKey,
    );
    if (streams.includes(stream)) await this.#readLines(stream, at);
    db.prepare("update files set done = 1 where number = ?").run(at.number);
  }

  async #readLines(
    stream: SandboxStream,
    at: { readonly number: number; readonly path: string },
  ): Promise<void> {
    const lines = new LineSplitter();
    const gunzip = createGunzip({ chunkSize: indexPieceBytes });
    await pipeline(createReadStream(at.path), gunzip, async (pieces: AsyncIterable<Buffer>) => {
      for await (const piece of pieces) {
        if (this.#isClosed) throw new Error("the sandbox is closing");
        this.#write(stream, { lines: lines.push(piece), file: at.number });
        await setImmediate();
      }
    });
    this.#write(stream, { lines: lines.end(), file: at.number });
  }

  #write(
    stream: SandboxStream,
    batch: { readonly lines: readonly (string | undefined)[]; readonly file: number },
  ): void {
    const { db, take } = this.#target;
    db.exec("begin");
    try {
      for (const text of batch.lines) take({ stream, text: text ?? "", file: batch.file });
      db.exec("commit");
    } catch (error) {
      db.exec("rollback");
      throw error;
    }
  }
}

import type { Duplex } from "node:stream";

import type { RawRows } from "./raw-rows.ts";

/** The kind of message that brings a row. */
const dataRow = "D".charCodeAt(0);

/** Bytes of a message up to its contents: its kind, and its length without the kind. */
const kindBytes = 1;
const headBytes = 5;

const nothing: Buffer = Buffer.alloc(0);

/**
 * Reads between a connection and pg. While rows are gathered, it takes their messages out before pg makes a text of
 * each value; every other message reaches pg as it came.
 */
export class RowTap {
  #rows: RawRows | undefined;
  #handOn: (bytes: Buffer) => void = () => undefined;
  /** The beginning of a message whose head is not complete yet. */
  #rest = nothing;
  /** Bytes of the current message that are still to come. */
  #left = 0;
  /** Whether that message is a row that is taken out. */
  #isTaken = false;

  /** Puts itself in front of the listeners of a stream, from which nothing was read before. */
  attach(stream: Duplex): void {
    const listeners = stream.listeners("data");
    stream.removeAllListeners("data");
    this.#handOn = (bytes) => {
      for (const listener of listeners) Reflect.apply(listener, stream, [bytes]);
    };
    stream.on("data", (bytes: Buffer) => {
      try {
        this.#read(bytes);
      } catch (error) {
        // If rethrown, it would end the process; so it ends the connection, and waiting calls get the error.
        stream.destroy(error instanceof Error ? error : new Error("unreadable"));
      }
    });
  }

  /** Takes out the rows that `work` asks for, until it ends. */
  async gather<Result>(rows: RawRows, work: () => Promise<Result>): Promise<Result> {
    this.#rows = rows;
    try {
      return await work();
    } finally {
      this.#rows = undefined;
    }
  }

  #read(piece: Buffer): void {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    let at = 0;
    // The beginning of a stretch of messages that go the same way.
    let from = 0;
    while (at < bytes.length) {
      if (this.#left === 0) {
        if (bytes.length - at < headBytes) break;
        const isTaken = this.#rows !== undefined && bytes[at] === dataRow;
        if (isTaken !== this.#isTaken) {
          this.#hand(bytes, from, at);
          from = at;
          this.#isTaken = isTaken;
        }
        if (isTaken) this.#rows?.begin(at - from);
        this.#left = kindBytes + bytes.readUInt32BE(at + kindBytes);
      }
      const step = Math.min(this.#left, bytes.length - at);
      at += step;
      this.#left -= step;
    }
    this.#hand(bytes, from, at);
    this.#rest = at === bytes.length ? nothing : bytes.subarray(at);
  }

  #hand(bytes: Buffer, from: number, to: number): void {
    if (from === to) return;
    if (this.#isTaken) this.#rows?.take(bytes, from, to);
    else this.#handOn(bytes.subarray(from, to));
  }
}

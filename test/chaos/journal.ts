import { appendFileSync } from "node:fs";
import { open, stat } from "node:fs/promises";

import { z } from "zod";

import type { LedgerEntry } from "../../src/sandbox/ledger.ts";

/** Logs an event; `facts` are plain data. */
export type Tell = (what: string, facts?: object) => void;

/** Appends events to a file, each with the time since the first, in ms. */
export function createJournal(file: string): Tell {
  const began = performance.now();
  return (what, facts = {}) => {
    const event = { ms: Math.round(performance.now() - began), what, ...facts };
    appendFileSync(file, `${JSON.stringify(event)}\n`);
  };
}

const ledgerEntry = z.custom<LedgerEntry>((value) => typeof value === "object" && value !== null);
const ledgerLine = z.object({ entry: ledgerEntry });

/** Follows a sandbox's ledger in its file, so that it can be read while the sandbox is gone. */
export class LedgerTail {
  readonly #file: string;
  #offset = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** The complete lines written since the last look. */
  async next(): Promise<LedgerEntry[]> {
    const { size } = await stat(this.#file);
    if (size <= this.#offset) return [];
    await using file = await open(this.#file, "r");
    const { buffer } = await file.read({
      buffer: Buffer.alloc(size - this.#offset),
      position: this.#offset,
    });
    // A line that a crash cut off is removed when the sandbox starts again.
    const whole = buffer.lastIndexOf(0x0a) + 1;
    this.#offset += whole;
    const lines = buffer.toString("utf8", 0, whole).split("\n");
    return lines
      .filter((line) => line !== "")
      .map((line) => ledgerLine.parse(JSON.parse(line)).entry);
  }
}

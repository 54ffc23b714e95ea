import { readFileSync } from "node:fs";

import { z } from "zod";

/** The memory of a program; `buffer` is another one once it has grown. */
export type WasmMemory = {
  readonly buffer: ArrayBuffer;
  /** Adds so many pages of 64 KiB. */
  grow(pages: number): number;
};

/** The needed part of a global that Node's types leave out. */
declare const WebAssembly: {
  readonly Module: new (program: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** Bytes of memory above which an unused instance is left to the garbage collector. */
const idleBytesMax = 16 * 1024 * 1024;

/** A program of wasm/, compiled when it is first needed; `Exports` is what it exports. */
export class WasmProgram<Exports extends { readonly memory: WasmMemory }> {
  readonly #file: URL;
  /** Instances that nobody needs now: the garbage collector would free their memory late. */
  readonly #idle: Exports[] = [];
  #compiled: object | undefined;

  constructor(file: URL) {
    this.#file = file;
  }

  /** An instance with memory of its own, which may still hold something of its last use. */
  take(): Exports {
    return this.#idle.pop() ?? this.#start();
  }

  /** Takes an instance back; its user calls nothing of it afterwards. */
  giveBack(instance: Exports): void {
    if (instance.memory.buffer.byteLength <= idleBytesMax) this.#idle.push(instance);
  }

  #start(): Exports {
    this.#compiled ??= new WebAssembly.Module(readFileSync(this.#file));
    // The build made it from the source that `Exports` describes.
    return z.custom<Exports>().parse(new WebAssembly.Instance(this.#compiled).exports);
  }
}

const wasmPageBytes = 64 * 1024;

/** Grows a program's memory to reach up to an address; its buffer may be another one afterwards. */
export function makeMemory(memory: WasmMemory, end: number): void {
  const missing = end - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / wasmPageBytes));
}

/** The next address at or after this one that is a multiple of 16. */
export function aligned(address: number): number {
  return (address + 15) & ~15;
}

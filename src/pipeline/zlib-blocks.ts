import zlib from "node:zlib";

import type { Blocks, BlockSink } from "./blocks.ts";
import { deflateBlockBytes } from "./limits.ts";

/**
 * Room for a deflated block, so that zlib's thread is asked only once for it: Node's 16 KiB at a time cost an eighth of
 * a staging.
 */
const outputBytes = deflateBlockBytes / 2;

/** Blocks under way at once: enough to keep zlib's threads busy, few enough to bound memory. */
const blocksAheadMax = 4;

/** Memory for blocks, always the same few; only lines that fit into none get memory of their own. */
function createBlockMemory(): { take(bytesMin: number): Buffer; giveBack(memory: Buffer): void } {
  const idle: Buffer[] = [];
  return {
    take: (bytesMin) =>
      (bytesMin <= deflateBlockBytes ? idle.pop() : undefined) ??
      Buffer.allocUnsafeSlow(Math.max(bytesMin, deflateBlockBytes)),
    giveBack: (memory) => {
      if (memory.length === deflateBlockBytes) idle.push(memory);
    },
  };
}

/** One compressor of zlib, for one block at a time. */
class Deflater {
  readonly #stream: zlib.DeflateRaw;
  #pieces: Buffer[] = [];

  constructor(level: number) {
    const flush = zlib.constants.Z_SYNC_FLUSH;
    this.#stream = zlib.createDeflateRaw({ level, memLevel: 9, chunkSize: outputBytes, flush });
    this.#stream.on("data", (piece: Buffer) => this.#pieces.push(piece));
  }

  async deflate(block: Buffer): Promise<Buffer> {
    await new Promise<void>((resolve, reject) => {
      this.#stream.once("error", reject);
      this.#stream.write(block, () => {
        this.#stream.off("error", reject);
        resolve();
      });
    });
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    // The next block must not refer to this one: blocks are deflated side by side.
    this.#stream.reset();
    return bytes;
  }

  close(): void {
    this.#stream.close();
  }
}

/**
 * The same few compressors serve all blocks: a new one for each took 25 MB more, which the collector freed too late.
 */
function createDeflaters(level: number): {
  deflate(block: Buffer): Promise<Buffer>;
  close(): void;
} {
  const idle: Deflater[] = [];
  return {
    deflate: async (block) => {
      const deflater = idle.pop() ?? new Deflater(level);
      const bytes = await deflater.deflate(block);
      idle.push(deflater);
      return bytes;
    },
    close: () => {
      for (const deflater of idle) deflater.close();
    },
  };
}

/**
 * Deflates blocks of whole lines on zlib's own threads, each independently and ended with a sync flush, so that parsing
 * continues meanwhile.
 */
export function createZlibBlocks(level: number, sink: BlockSink): Blocks {
  const [memory, deflaters] = [createBlockMemory(), createDeflaters(level)];
  let [pending, pendingBytes, bytesAhead]: [Buffer, number, number] = [Buffer.alloc(0), 0, 0];
  const written: Promise<void>[] = [];
  let last = Promise.resolve();
  const startBlock = (): void => {
    const [used, block] = [pending, pending.subarray(0, pendingBytes)];
    [pending, pendingBytes] = [Buffer.alloc(0), 0];
    sink.seen(block);
    const deflated = deflaters.deflate(block);
    const before = last;
    last = (async () => {
      const bytes = await deflated;
      memory.giveBack(used);
      await before;
      await sink.append(bytes);
      bytesAhead -= block.length;
    })();
    last.catch(() => undefined); // awaited in `add` or `flush`; until then a failure must not end the process
    written.push(last);
  };
  return {
    add: async (jsonl) => {
      if (pendingBytes + jsonl.length > pending.length) {
        if (pendingBytes > 0) startBlock();
        pending = memory.take(jsonl.length);
      }
      pending.set(jsonl, pendingBytes);
      pendingBytes += jsonl.length;
      bytesAhead += jsonl.length;
      if (written.length > blocksAheadMax) await written.shift();
    },
    bytesAhead: () => bytesAhead,
    flush: async () => {
      if (pendingBytes > 0) startBlock();
      written.length = 0;
      await last;
    },
    close: () => deflaters.close(),
  };
}

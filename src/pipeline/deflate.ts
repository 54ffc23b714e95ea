import zlib from "node:zlib";

import { deflateBlockBytes } from "./limits.ts";

/**
 * Room for a deflated block, so that zlib's thread is asked once for it: Node's 16 KiB at a time cost an
 * eighth of a staging.
 */
const outputBytes = deflateBlockBytes / 2;

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
 * Deflates blocks on zlib's own threads, each on its own and ended with a sync flush. The same few
 * compressors serve all blocks: a new one for each took 25 MB more, which the collector came for too late.
 */
export function createDeflaters(level: number): {
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

import { createHash } from "node:crypto";
import zlib from "node:zlib";

import { createFastBlocks } from "./fast-blocks.ts";
import { createZlibBlocks } from "./zlib-blocks.ts";

/** No name, no time: the same rows give the same bytes. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const trailerBytes = 10;

/** The level that our own compressor stands for; the others are zlib's. */
const fastLevel = 1;

/** What a finished gzip file holds; hashes in hex. */
export type GzipFacts = {
  readonly jsonBytes: number;
  readonly gzipBytes: number;
  readonly jsonlSha256: string;
  readonly gzipSha256: string;
};

/** Compresses JSONL into one gzip member. */
export interface GzipWriter {
  /**
   * Takes a copy of whole lines; resolves when there is room for more, and is not called before. @throws what
   * `write` throws.
   */
  add(jsonl: Buffer): Promise<void>;
  /** Bytes the file would have at most if it ended now; deflate may add 0.2 % to what it cannot make smaller. */
  bytesAtMost(): number;
  /** Waits until everything added is written; `bytesAtMost` is exact then. */
  flush(): Promise<void>;
  /** Writes the trailer. */
  finish(): Promise<GzipFacts>;
}

/** What ends the member: an empty final block, the checksum and the length of what it holds. */
function trailerOf(crc: number, jsonBytes: number): Buffer {
  const trailer = Buffer.alloc(trailerBytes);
  trailer[0] = 0x03;
  trailer.writeUInt32LE(crc, 2);
  trailer.writeUInt32LE(jsonBytes % 2 ** 32, 6);
  return trailer;
}

/**
 * Writes one gzip member out of blocks of raw deflate, each ended with a sync flush. One member, because common
 * readers stop silently after the first. Bytes that `write` is given are others once it has resolved.
 */
export function createGzipWriter(
  write: (bytes: Buffer) => Promise<void>,
  level: number,
): GzipWriter {
  const [jsonHash, gzipHash] = [createHash("sha256"), createHash("sha256")];
  let [crc, jsonBytes, gzipBytes] = [0, 0, 0];
  let last = Promise.resolve();
  const append = async (bytes: Buffer): Promise<void> => {
    gzipHash.update(bytes);
    gzipBytes += bytes.length;
    const before = last;
    last = (async () => {
      await before;
      await write(bytes);
    })();
    last.catch(() => undefined); // whoever appends next or flushes is told; until then it must not end the process
    await last;
  };
  const sink = {
    seen: (block: Buffer): void => {
      jsonHash.update(block);
      crc = zlib.crc32(block, crc);
    },
    append,
  };
  const blocks = level === fastLevel ? createFastBlocks(sink) : createZlibBlocks(level, sink);
  append(header).catch(() => undefined); // as above: lines may be long in coming
  const flush = async (): Promise<void> => {
    await blocks.flush();
    await last;
  };
  return {
    add: async (jsonl) => {
      jsonBytes += jsonl.length;
      await blocks.add(jsonl);
    },
    bytesAtMost: () => gzipBytes + blocks.bytesAhead() + trailerBytes,
    flush,
    finish: async () => {
      await flush();
      blocks.close();
      await append(trailerOf(crc, jsonBytes));
      const [jsonlSha256, gzipSha256] = [jsonHash.digest("hex"), gzipHash.digest("hex")];
      return { jsonBytes, gzipBytes, jsonlSha256, gzipSha256 };
    },
  };
}

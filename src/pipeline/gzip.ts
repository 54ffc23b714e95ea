import { createHash } from "node:crypto";
import zlib from "node:zlib";

import { createFastBlocks } from "./fast-blocks.ts";
import { createZlibBlocks } from "./zlib-blocks.ts";

/** No name, no time: the same rows give the same bytes. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const trailerBytes = 10;

/** The level that selects our own compressor; the others are zlib's. */
const fastLevel = 1;

/** The facts of a finished gzip file; hashes in hex. */
export type GzipFacts = {
  readonly jsonBytes: number;
  readonly gzipBytes: number;
  readonly jsonlSha256: string;
  readonly gzipSha256: string;
};

/** Compresses JSONL into one gzip member. */
export interface GzipWriter {
  /**
   * Copies whole lines; resolves when there is room for more, and is not called before. @throws what `write` throws.
   */
  add(jsonl: Buffer): Promise<void>;
  /** Most bytes of the file if it ended now; deflate may add 0.2 % to what it cannot compress. */
  bytesAtMost(): number;
  /** Waits until everything added is written; `bytesAtMost` is exact then. */
  flush(): Promise<void>;
  /** Writes the trailer. */
  finish(): Promise<GzipFacts>;
}

/** The end of the member: an empty final block, the checksum and the length of the content. */
function trailerOf(crc: number, jsonBytes: number): Buffer {
  const trailer = Buffer.alloc(trailerBytes);
  trailer[0] = 0x03;
  trailer.writeUInt32LE(crc, 2);
  trailer.writeUInt32LE(jsonBytes % 2 ** 32, 6);
  return trailer;
}

/**
 * Writes one gzip member from blocks of raw deflate, each ended with a sync flush. It is a single member, because
 * common readers stop silently after the first. The bytes passed to `write` are reused once it has resolved.
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
    last.catch(() => undefined); // the next append or flush reports it; until then it must not end the process
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
  append(header).catch(() => undefined); // as above: lines may take long to come
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

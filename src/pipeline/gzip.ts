import { createHash } from "node:crypto";
import { promisify } from "node:util";
import zlib from "node:zlib";

import { deflateBlockBytes } from "../limits.ts";

const deflateRaw = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.deflateRaw);

/** No name, no time: the same rows give the same bytes. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const trailerBytes = 10;

/** Blocks under way at once: enough to keep zlib's threads busy, few enough to bound memory. */
const blocksAheadMax = 4;

/** What a finished gzip file holds; hashes in hex. */
export type GzipFacts = {
  readonly jsonBytes: number;
  readonly gzipBytes: number;
  readonly jsonlSha256: string;
  readonly gzipSha256: string;
};

/** Compresses JSONL into one gzip member. */
export interface GzipWriter {
  /** Takes whole lines; resolves when there is room for more. @throws what `write` throws. */
  add(jsonl: Buffer): Promise<void>;
  /** Bytes the file would have at most if it ended now. */
  bytesAtMost(): number;
  /** Waits until everything added is written; `bytesAtMost` is exact then. */
  flush(): Promise<void>;
  /** Writes the trailer. */
  finish(): Promise<GzipFacts>;
}

/**
 * Writes one gzip member out of blocks of raw deflate, each ended with a sync flush and made on zlib's own threads, so
 * that parsing goes on meanwhile. One member, because common readers stop silently after the first.
 */
export function createGzipWriter(
  write: (bytes: Buffer) => Promise<void>,
  level: number,
): GzipWriter {
  const [jsonHash, gzipHash] = [createHash("sha256"), createHash("sha256")];
  const options = { level, memLevel: 9, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  let [crc, jsonBytes, gzipBytes] = [0, 0, 0];
  let [pending, pendingBytes, unwrittenBytes]: [Buffer[], number, number] = [[], 0, 0];
  const written: Promise<void>[] = [];

  const append = async (bytes: Buffer): Promise<void> => {
    gzipHash.update(bytes);
    gzipBytes += bytes.length;
    await write(bytes);
  };
  let last = append(header);
  const startBlock = (): void => {
    const block = pending.length === 1 && pending[0] ? pending[0] : Buffer.concat(pending);
    [pending, pendingBytes] = [[], 0];
    const deflated = deflateRaw(block, options);
    const before = last;
    last = (async () => {
      const bytes = await deflated;
      await before;
      await append(bytes);
      unwrittenBytes -= block.length;
    })();
    last.catch(() => undefined); // it is awaited in `add` or `flush`; until then it must not end the process
    written.push(last);
  };
  const flush = async (): Promise<void> => {
    if (pendingBytes > 0) startBlock();
    written.length = 0;
    await last;
  };
  return {
    add: async (jsonl) => {
      jsonHash.update(jsonl);
      crc = zlib.crc32(jsonl, crc);
      jsonBytes += jsonl.length;
      pending.push(jsonl);
      pendingBytes += jsonl.length;
      unwrittenBytes += jsonl.length;
      if (pendingBytes >= deflateBlockBytes) startBlock();
      if (written.length > blocksAheadMax) await written.shift();
    },
    bytesAtMost: () => gzipBytes + unwrittenBytes + trailerBytes,
    flush,
    finish: async () => {
      await flush();
      const trailer = Buffer.alloc(trailerBytes);
      trailer[0] = 0x03; // an empty final block
      trailer.writeUInt32LE(crc, 2);
      trailer.writeUInt32LE(jsonBytes % 2 ** 32, 6);
      await append(trailer);
      const [jsonlSha256, gzipSha256] = [jsonHash.digest("hex"), gzipHash.digest("hex")];
      return { jsonBytes, gzipBytes, jsonlSha256, gzipSha256 };
    },
  };
}

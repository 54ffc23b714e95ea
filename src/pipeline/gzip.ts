import { createHash } from "node:crypto";
import zlib from "node:zlib";

import { createDeflaters } from "./deflate.ts";
import { deflateBlockBytes } from "./limits.ts";

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
  /** Takes a copy of whole lines; resolves when there is room for more. @throws what `write` throws. */
  add(jsonl: Buffer): Promise<void>;
  /** Bytes the file would have at most if it ended now; deflate may add 0.2 % to what it cannot make smaller. */
  bytesAtMost(): number;
  /** Waits until everything added is written; `bytesAtMost` is exact then. */
  flush(): Promise<void>;
  /** Writes the trailer. */
  finish(): Promise<GzipFacts>;
}

/** Memory for blocks, the same few all along; only lines that fit into none get memory of their own. */
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

/** What ends the member: an empty final block, the checksum and the length of what it holds. */
function trailerOf(crc: number, jsonBytes: number): Buffer {
  const trailer = Buffer.alloc(trailerBytes);
  trailer[0] = 0x03;
  trailer.writeUInt32LE(crc, 2);
  trailer.writeUInt32LE(jsonBytes % 2 ** 32, 6);
  return trailer;
}

/**
 * Writes one gzip member out of blocks of raw deflate, each ended with a sync flush and made on zlib's own threads, so
 * that parsing continues meanwhile. One member, because common readers stop silently after the first.
 */
export function createGzipWriter(
  write: (bytes: Buffer) => Promise<void>,
  level: number,
): GzipWriter {
  const [jsonHash, gzipHash] = [createHash("sha256"), createHash("sha256")];
  const [memory, deflaters] = [createBlockMemory(), createDeflaters(level)];
  let [crc, jsonBytes, gzipBytes] = [0, 0, 0];
  let [pending, pendingBytes, deflatedBytes]: [Buffer, number, number] = [Buffer.alloc(0), 0, 0];
  const written: Promise<void>[] = [];

  const append = async (bytes: Buffer): Promise<void> => {
    gzipHash.update(bytes);
    gzipBytes += bytes.length;
    await write(bytes);
  };
  let last = append(header);
  last.catch(() => undefined); // as below: lines may be long in coming
  const startBlock = (): void => {
    const [used, block] = [pending, pending.subarray(0, pendingBytes)];
    [pending, pendingBytes] = [Buffer.alloc(0), 0];
    jsonHash.update(block);
    crc = zlib.crc32(block, crc);
    const deflated = deflaters.deflate(block);
    const before = last;
    last = (async () => {
      const bytes = await deflated;
      memory.giveBack(used);
      await before;
      await append(bytes);
      deflatedBytes += block.length;
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
      if (pendingBytes + jsonl.length > pending.length) {
        if (pendingBytes > 0) startBlock();
        pending = memory.take(jsonl.length);
      }
      pending.set(jsonl, pendingBytes);
      jsonBytes += jsonl.length;
      pendingBytes += jsonl.length;
      if (written.length > blocksAheadMax) await written.shift();
    },
    bytesAtMost: () => gzipBytes + jsonBytes - deflatedBytes + trailerBytes,
    flush,
    finish: async () => {
      await flush();
      deflaters.close();
      await append(trailerOf(crc, jsonBytes));
      const [jsonlSha256, gzipSha256] = [jsonHash.digest("hex"), gzipHash.digest("hex")];
      return { jsonBytes, gzipBytes, jsonlSha256, gzipSha256 };
    },
  };
}

import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";

import { ConfigError, errorCodeOf, SluiceError } from "../../../src/errors.ts";
import { PageMemory } from "../../../src/records/page-memory.ts";
import { blockBytes, gzipRatioFreeBytes, gzipRatioMax, unpackedBytesMax } from "../limits.ts";
import { assertUnchanged, changed, type OpenFile } from "../open.ts";
import { fileError } from "./file-error.ts";

/** A stretch of a file's bytes; in a gzip file, of the unpacked bytes. */
export type Stretch = {
  readonly from: number;
  /** Where to stop. @default the end of the file as it was when opened */
  readonly to?: number | undefined;
  readonly signal: AbortSignal;
};

/**
 * Yields a stretch of a file in pieces of at most `blockBytes`. A piece is valid until the next one is asked for.
 * @throws {SourceChangedError} the file changed. @throws {ConfigError} the gzip file is damaged, cut or out
 * of proportion.
 * @throws {RetryLater} the disk fails.
 */
export function bytesOf(file: OpenFile, stretch: Stretch): AsyncGenerator<Uint8Array> {
  return file.isGzip ? unpacked(file, stretch) : stored(file, stretch);
}

/**
 * Blocks of files that were read, outside the heap: for many small files, and for one that is read for each chunk, the
 * garbage collector would run again and again.
 */
const blockMemory = new PageMemory();

async function* stored(file: OpenFile, stretch: Stretch): AsyncGenerator<Uint8Array> {
  const end = stretch.to ?? file.size;
  const block = blockMemory.take(Math.min(blockBytes, Math.max(0, end - stretch.from)));
  const size = Math.min(blockBytes, block.length);
  let isReading = false;
  try {
    for (let at = stretch.from; at < end;) {
      stretch.signal.throwIfAborted();
      isReading = true;
      const bytesRead = await readAt(file, block.subarray(0, Math.min(size, end - at)), at);
      isReading = false;
      at += bytesRead;
      yield block.subarray(0, bytesRead);
    }
  } finally {
    // A read that failed may still be writing into it.
    if (!isReading) blockMemory.giveBack(block);
  }
}

/** Reads a block, and returns only when the file is unchanged after the read. */
async function readAt(file: OpenFile, block: Buffer, at: number): Promise<number> {
  try {
    const { bytesRead } = await file.handle.read(block, 0, block.length, at);
    if (bytesRead === 0) throw changed(file.place, "became shorter while it was read");
    await assertUnchanged(file);
    return bytesRead;
  } catch (error) {
    throw error instanceof SluiceError ? error : fileError(error, file.place).error;
  }
}

/** A gzip file cannot be entered in its middle: the bytes before the stretch are unpacked and dropped. */
async function* unpacked(file: OpenFile, stretch: Stretch): AsyncGenerator<Uint8Array> {
  async function* packed(): AsyncGenerator<Uint8Array> {
    for await (const piece of stored(file, { from: 0, signal: stretch.signal })) {
      // The stream holds on to the piece while the next one is read.
      yield Buffer.from(piece);
    }
  }
  const gunzip = createGunzip({ chunkSize: blockBytes });
  // The error arrives through the iteration of `gunzip`, which the pipeline destroys with it.
  pipeline(Readable.from(packed(), { highWaterMark: 1 }), gunzip, () => undefined);
  const end = stretch.to ?? Number.POSITIVE_INFINITY;
  let at = 0;
  try {
    for await (const piece of gunzip as AsyncIterable<Buffer>) {
      assertInProportion(file.place, gunzip.bytesWritten, at + piece.length);
      const wanted = piece.subarray(Math.max(0, stretch.from - at), Math.max(0, end - at));
      at += piece.length;
      if (wanted.length > 0) yield wanted;
      if (at >= end) return;
    }
  } catch (error) {
    throw errorCodeOf(error).startsWith("Z_")
      ? damaged(file.place, error, gunzip.bytesWritten)
      : error;
  }
  assertWhole(file, gunzip.bytesWritten);
}

/**
 * Makes sure that nothing comes after the gzip data: Node's gunzip ends without an error at a zero byte
 * between two members.
 * @throws {ConfigError} something does.
 */
function assertWhole({ place, size }: OpenFile, readBytes: number): void {
  if (readBytes >= size) return;
  throw new ConfigError(
    `${place}: the gzip data ends at byte ${readBytes}, but the file has ${size} bytes`,
    {
      field: "path",
      hint:
        "Write the file again, with nothing between or after its gzip members. If only padding follows, " +
        `cut it off: truncate -s ${readBytes}.`,
    },
  );
}

/**
 * Makes sure that a gzip file has not unpacked to more than it may, given how many of its bytes were read.
 * @throws {ConfigError} it has.
 */
export function assertInProportion(
  place: string,
  packedBytes: number,
  unpackedBytes: number,
): void {
  const isTooMuch =
    unpackedBytes > unpackedBytesMax ||
    (unpackedBytes > gzipRatioFreeBytes && unpackedBytes > packedBytes * gzipRatioMax);
  if (!isTooMuch) return;
  throw new ConfigError(
    `${place} unpacks to more than ${gzipRatioMax} times its size, or ${unpackedBytesMax} bytes`,
    { field: "path", hint: "Unpack it and look at what it holds." },
  );
}

function damaged(place: string, error: unknown, readBytes: number): ConfigError {
  const isCut = errorCodeOf(error) === "Z_BUF_ERROR";
  const what = isCut ? "ends in the middle" : `is damaged after byte ${readBytes}`;
  return new ConfigError(`${place}: the gzip file ${what}`, {
    field: "path",
    hint: "Copy it again; gzip -t must find nothing wrong with it.",
    cause: error,
  });
}

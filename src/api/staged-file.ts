import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";

import { errorCodeOf, messageOf, StagedFileMissingError, StagingError } from "../errors.ts";
import { putBlockBytes } from "./limits.ts";

/** A staged file as its receipt describes it. */
export type StagedFileFacts = {
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal sha256 of the file as it is, that is, of the gzip bytes. */
  readonly gzipSha256: string;
  /** Receives the total number of bytes handed to the connection. */
  readonly onBytes?: ((sent: number) => void) | undefined;
};

/** One staged file on its way out, read once. */
export type StagedFile = {
  /**
   * The file's bytes; fails with StagedFileMissingError before the last block when they differ from the receipt, so
   * that a wrong file never arrives whole.
   */
  stream(): Readable;
  /** Whether every byte was handed to the connection. */
  isSent(): boolean;
  close(): Promise<void>;
};

/**
 * Opens a staged file and checks it against its receipt. Length and bytes come from the same descriptor.
 * @throws StagedFileMissingError when it is missing or has another length.
 */
export async function openStagedFile(facts: StagedFileFacts): Promise<StagedFile> {
  const handle = await openForReading(facts.path);
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size !== facts.bytes) {
      throw new StagedFileMissingError(
        `${facts.path}: ${facts.bytes} bytes were staged, ${stats.size} are there`,
      );
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  let sent = 0;
  const onSent = (bytes: number): void => {
    sent += bytes;
    facts.onBytes?.(sent);
  };
  return {
    // In object mode, so that at most one block is read ahead of the connection.
    stream: () => Readable.from(readBlocks(handle, facts, onSent), { objectMode: true }),
    isSent: () => sent === facts.bytes,
    close: async () => {
      await handle.close();
    },
  };
}

async function openForReading(path: string): Promise<FileHandle> {
  try {
    return await open(path, "r");
  } catch (error) {
    const missing = errorCodeOf(error) === "ENOENT";
    if (missing) throw new StagedFileMissingError(`${path} is gone`, { cause: error });
    throw new StagingError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Yields exactly the receipt's number of bytes, even if the file has grown since; calls `onSent` once a block was
 * taken.
 */
async function* readBlocks(
  handle: FileHandle,
  { path, bytes, gzipSha256 }: StagedFileFacts,
  onSent: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  let position = 0;
  while (position < bytes) {
    const size = Math.min(putBlockBytes, bytes - position);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(size), 0, size, position);
    if (bytesRead === 0)
      throw new StagedFileMissingError(`${path} was cut short while it was sent`);
    const block = buffer.subarray(0, bytesRead);
    position += bytesRead;
    hash.update(block);
    if (position === bytes && hash.digest("hex") !== gzipSha256) {
      throw new StagedFileMissingError(`${path} does not hold what was staged`);
    }
    yield block;
    onSent(bytesRead);
  }
}

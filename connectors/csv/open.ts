import { hash } from "node:crypto";
import { constants, type BigIntStats } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";

import { ConfigError, SluiceError, SourceChangedError } from "../../src/errors.ts";
import type { SourceFile } from "./files.ts";
import { hashedBytes } from "./limits.ts";
import { fileError } from "./parse/file-error.ts";
import type { Mark, RunPosition } from "./position.ts";

/** A file held open, as it was when it was opened; whoever opened it closes it, by `await using`. */
export type OpenFile = AsyncDisposable & {
  readonly place: string;
  readonly handle: FileHandle;
  /** Bytes of the file as stored. Bytes added later are not read. */
  readonly size: number;
  /** The first 64 KB as stored. */
  readonly head: Buffer;
  readonly isGzip: boolean;
  /** Whether more bytes may be added while it is read. */
  readonly mayGrow: boolean;
  readonly stats: BigIntStats;
};

const gzipMagic = Buffer.from([0x1f, 0x8b]);
const zipMagic = Buffer.from("PK\u0003\u0004");

/**
 * Opens a file for reading, without waiting on a FIFO, and checks what it is.
 * @throws {ConfigError} it is not a file of text or gzip, or may not be read. @throws {RetryLater} the disk fails.
 */
export async function openFile(file: SourceFile, appendOnly: boolean): Promise<OpenFile> {
  const { place } = file;
  let handle: FileHandle | undefined;
  try {
    // A link that is there now was put there after the path was resolved.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
    handle = await open(file.path, flags);
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw notAFile(place, stats);
    const size = Number(stats.size);
    const buffer = Buffer.alloc(Math.min(size, hashedBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    const head = buffer.subarray(0, bytesRead);
    if (startsWith(head, zipMagic)) {
      throw new ConfigError(`${place} is a zip archive, as an .xlsx workbook is too`, {
        field: "path",
        hint: "Unpack it, or save the sheet as CSV.",
      });
    }
    const isGzip = startsWith(head, gzipMagic);
    if (isGzip && appendOnly) {
      throw new ConfigError(`${place} is a gzip file, which cannot be read as append-only`, {
        field: "append_only",
        hint: "Unpack it, or remove append_only.",
      });
    }
    const opened = { place, handle, size, head, isGzip, mayGrow: appendOnly, stats };
    return { ...opened, [Symbol.asyncDispose]: async () => await opened.handle.close() };
  } catch (error) {
    await handle?.close();
    throw error instanceof SluiceError ? error : fileError(error, place).error;
  }
}

function startsWith(bytes: Buffer, magic: Buffer): boolean {
  return bytes.subarray(0, magic.length).equals(magic);
}

function notAFile(place: string, stats: BigIntStats): ConfigError {
  const [what, hint] = stats.isDirectory()
    ? ["a folder", `Give a file, or a pattern: ${place.replace(/\/$/, "")}/*.csv.`]
    : [stats.isFIFO() ? "a FIFO" : "a device", "Give a regular file."];
  return new ConfigError(`${place} is ${what}, not a file`, { field: "path", hint });
}

/**
 * Makes sure that the file is still what it was when opened, so that no row of a changed file is ever
 * yielded. An append-only file may have grown.
 * @throws {SourceChangedError} it is not.
 */
export async function assertUnchanged(file: OpenFile): Promise<void> {
  const now = await file.handle.stat({ bigint: true });
  const before = file.stats;
  const isSame = file.mayGrow
    ? now.size >= before.size
    : now.size === before.size && now.mtimeNs === before.mtimeNs;
  if (!isSame) throw changed(file.place, "changed while it was read");
}

/** An error that says what happened to a file. */
export function changed(place: string, what: string): SourceChangedError {
  return new SourceChangedError(`${place} ${what}`, {
    hint:
      "Put new files in place by renaming them, and not while a run reads. " +
      "If an append-only file was replaced on purpose, `sluice state reset` begins with the new one.",
  });
}

/** The hash of the start of a file, of at most `coveredBytes` when more may be added. */
export function headHash(file: OpenFile, coveredBytes: number): string {
  return hash("sha256", file.mayGrow ? file.head.subarray(0, coveredBytes) : file.head);
}

/** The members that a position within a run has beyond a file's mark. */
export function stateOf(file: OpenFile): Pick<RunPosition, "dev" | "ino" | "size" | "mtime_ns"> {
  const { dev, ino, mtimeNs } = file.stats;
  return { dev: String(dev), ino: String(ino), size: file.size, mtime_ns: String(mtimeNs) };
}

/** The hash over the states of all files read so far; `before` is the hash over the files before this one. */
export function filesHash(before: string | undefined, file: OpenFile): string {
  return hash("sha256", JSON.stringify([before ?? "", file.place, stateOf(file)]));
}

/**
 * Makes sure that a mark was made from this very file, so that no offset is ever used in another one. The
 * mark's tail is left to the reader, who has those bytes.
 * @throws {SourceChangedError} it was not.
 */
export function assertSameFile(file: OpenFile, mark: Mark | RunPosition): void {
  if ("ino" in mark) {
    const { dev, ino, size, mtime_ns } = stateOf(file);
    const isSame = mark.dev === dev && mark.ino === ino;
    if (!isSame || mark.size !== size || mark.mtime_ns !== mtime_ns) {
      throw changed(file.place, "is not the file this run began to read");
    }
  } else if (file.size < mark.offset) {
    throw changed(file.place, "is shorter than what was already read of it");
  }
  if (mark.head !== headHash(file, mark.offset)) {
    throw changed(file.place, "begins differently than when it was read before");
  }
}

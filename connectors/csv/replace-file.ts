import { randomUUID } from "node:crypto";
import type { BigIntStats } from "node:fs";
import {
  lstat,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  type FileHandle,
} from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

import { ConfigError, errorCodeOf, SluiceError, RetryLater } from "../../src/errors.ts";
import { leftoverMs } from "./limits.ts";

/** A file that is written whole, and its state when it was looked at. */
export type Target = {
  /** The path in the form used by the configuration. */
  readonly place: string;
  /** The absolute path with all links followed. */
  readonly path: string;
  /** Undefined when there is no such file yet. */
  readonly stats: BigIntStats | undefined;
};

/** Where a file is made that is not there yet: links to it stay. */
async function madeAt(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink() !== true) return path;
  // Not by the path: its folder may be a link, too, and have another parent.
  const folder = await realpath(dirname(path));
  return await madeAt(resolve(folder, await readlink(path)));
}

/** Looks at a file that is to be written. @throws {ConfigError} its folder is missing, or it is not a file. */
export async function targetAt(path: string, place: string): Promise<Target> {
  try {
    const real = await realpath(path);
    const stats = await stat(real, { bigint: true });
    if (!stats.isFile()) throw new ConfigError(`${place} is not a file`, { field: "file" });
    return { place, path: real, stats };
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT")
      return { place, path: await madeAt(path), stats: undefined };
    throw writeError(error, place);
  }
}

/**
 * Replaces a file atomically: a reader sees the whole old file or the whole new one, also after a power cut (temp,
 * fsync, rename, fsync of the folder). `write` returns whether anything changed; when nothing did, the old file stays.
 * The new file has the old one's mode; where there was none, only this user may read it.
 * @throws {RetryLater} the file changed since it was looked at, or the disk fails. @throws {ConfigError} it may not be
 * written.
 */
export async function replaceFile(
  target: Target,
  write: (append: (text: string) => Promise<void>) => Promise<boolean>,
): Promise<void> {
  const folder = dirname(target.path);
  // Begins with a dot and ends with .tmp, so that no pattern of a source takes it for a file to read.
  const prefix = `.${basename(target.path)}.`;
  const made = join(folder, `${prefix}${randomUUID()}.tmp`);
  let handle: FileHandle | undefined;
  try {
    await removeLeftovers(folder, prefix);
    const mode = target.stats === undefined ? 0o600 : Number(target.stats.mode) & 0o777;
    handle = await open(made, "wx", mode);
    // The process's umask may have removed rights that the old file had.
    await handle.chmod(mode);
    const file = handle;
    if (!(await write(async (text) => await file.appendFile(text)))) return;
    await handle.sync();
    await assertSame(target);
    await rename(made, target.path);
    await syncFolder(folder);
  } catch (error) {
    throw writeError(error, target.place);
  } finally {
    await handle?.close();
    await rm(made, { force: true });
  }
}

/** Removes the files that killed processes left; those of processes still at work are younger. */
async function removeLeftovers(folder: string, prefix: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith(".tmp")) continue;
    const path = join(folder, name);
    // Another writer may have put its own in place by now.
    const left = await stat(path).catch(() => undefined);
    if (left !== undefined && Date.now() - left.mtimeMs > leftoverMs)
      await rm(path, { force: true });
  }
}

/**
 * A process that was stopped while it wrote must not put an old page over a newer one
 * (docs/facts/faults.md#promises, P7).
 */
async function assertSame({ place, path, stats }: Target): Promise<void> {
  const { stats: now } = await targetAt(path, place);
  const isSame =
    now?.ino === stats?.ino && now?.size === stats?.size && now?.mtimeNs === stats?.mtimeNs;
  if (!isSame) throw new RetryLater(`${place} changed while it was written`);
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, "r");
  await handle.sync();
}

const stops: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENOTDIR: "its path leads through something that is not a folder",
  ELOOP: "its path is a link that leads to itself",
  ENAMETOOLONG: "its name is too long",
  EACCES: "this process may not write there",
  EPERM: "this process may not write there",
  EROFS: "the disk is read-only",
};

function writeError(error: unknown, place: string): unknown {
  const code = errorCodeOf(error);
  // An error that is not a fault of the disk, such as a cancelled run, stays as it is.
  if (error instanceof SluiceError || code === "") return error;
  const facts = { field: "file", cause: error };
  const stop = stops[code];
  if (stop !== undefined) return new ConfigError(`${place} cannot be written: ${stop}`, facts);
  return new RetryLater(`${place} cannot be written: ${code}`, facts);
}

import { execFile } from "node:child_process";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const diskMebibytes = 256;
const pieceBytes = 1024 * 1024;

const run = promisify(execFile);

/** A disk that can be filled and emptied while a program writes to it. */
export interface SmallDisk {
  readonly means: "a full tmpfs" | "a limit on the size of its files";
  /** Makes every further write of a process fail. */
  fill(pid: number): Promise<void>;
  /** Makes room for it again. */
  free(pid: number): Promise<void>;
  close(): Promise<void>;
}

/** Makes an empty folder a small tmpfs, if we may mount one; otherwise limits the process. */
export async function makeSmallDisk(folder: string): Promise<SmallDisk> {
  const size = `size=${diskMebibytes}m,mode=0700`;
  const isMounted = await run("mount", ["-t", "tmpfs", "-o", size, "tmpfs", folder]).then(
    () => true,
    () => false,
  );
  return isMounted ? tmpfsAt(folder) : limits;
}

function tmpfsAt(folder: string): SmallDisk {
  const ballast = join(folder, "ballast");
  return {
    means: "a full tmpfs",
    fill: async () => {
      // It ends at ENOSPC, after also filling the room for a part of the last piece.
      await appendForEver(ballast).catch(() => undefined);
    },
    free: async () => await rm(ballast, { force: true }),
    close: async () => void (await run("umount", ["-l", folder])),
  };
}

async function appendForEver(path: string): Promise<never> {
  await using file = await open(path, "a");
  const piece = Buffer.alloc(pieceBytes);
  for (;;) await file.appendFile(piece);
}

const limits: SmallDisk = {
  means: "a limit on the size of its files",
  fill: async (pid) => void (await run("prlimit", ["--pid", `${pid}`, "--fsize=0:"])),
  free: async (pid) => void (await run("prlimit", ["--pid", `${pid}`, "--fsize=unlimited:"])),
  close: async () => undefined,
};

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

function run(command: string, ...args: readonly string[]): void {
  execFileSync("/usr/bin/env", [command, ...args], { stdio: "pipe" });
}

/** Mounts at a folder, which it makes; unmounts when the test ends, whatever its result. */
export function mount(folder: string, ...options: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  run("mount", ...options, folder);
  onTestFinished(() => unmount(folder));
}

/** Unmounts what `mount` mounted; does nothing if that is already done. */
export function unmount(folder: string): void {
  spawnSync("/usr/bin/env", ["umount", folder], { stdio: "pipe" });
}

/** Makes an image file of 8 MiB with an empty file system. */
export function makeImage(file: string): void {
  run("truncate", "-s", "8M", file);
  run("mkfs.ext2", "-q", file);
}

/** Whether this process may mount this kind of file system: in some containers even root may not. */
export function mayMount(kind: "tmpfs" | "loop"): boolean {
  if (process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), "sluice-mount-"));
  const target = join(folder, "target");
  mkdirSync(target);
  try {
    if (kind === "tmpfs") run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", target);
    else {
      makeImage(join(folder, "image"));
      run("mount", "-o", "loop", join(folder, "image"), target);
    }
    unmount(target);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

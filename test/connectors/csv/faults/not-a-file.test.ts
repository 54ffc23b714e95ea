import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { csvConfig } from "../../../../connectors/csv/config.ts";
import { listFiles } from "../../../../connectors/csv/files.ts";
import { pathCharsMax } from "../../../../connectors/csv/limits.ts";
import { openFile } from "../../../../connectors/csv/open.ts";
import { messageOf } from "../../../../src/errors.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { configOf, readToStop } from "../support.ts";

const rows = "id\n1\n";
const good = 'good.csv:2 {"id":"1"}';

/** A folder with `good.csv`, and the `odd.csv` that `makeOdd` makes. */
async function folderWith(makeOdd: (path: string, folder: string) => unknown): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "good.csv"), rows);
  await makeOdd(join(folder, "odd.csv"), folder);
  return folder;
}

async function makeSocket(path: string): Promise<void> {
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
  await once(server, "listening");
}

function makeFifo(path: string): void {
  execFileSync("/usr/bin/env", ["mkfifo", path]);
}

describe("what is not a file (T3)", () => {
  it.each<[what: string, make: (path: string) => unknown, message: string]>([
    ["a FIFO that nobody writes to", makeFifo, "is a FIFO, not a file"],
    ["a socket", makeSocket, "is a socket or a device"],
    [
      "a device without end",
      async (path) => await symlink("/dev/zero", path),
      "is a device, not a file",
    ],
    ["a folder", async (path) => await mkdir(path), "is a folder, not a file"],
    ["a link to nothing", async (path) => await symlink("gone.csv", path), "does not exist"],
    [
      "a link to itself",
      async (path) => await symlink("odd.csv", path),
      "is a link that leads to itself, or was just put there",
    ],
  ])("stops the read at once: %s", async (_, make, message) => {
    const folder = await folderWith(make);
    expect(await readToStop(configOf(folder, { path: "odd.csv" }))).toEqual({
      items: [],
      error: `ConfigError: odd.csv ${message}`,
    });
  });

  it.each<[what: string, make: (path: string) => unknown, message: string]>([
    ["a FIFO", makeFifo, "is a FIFO, not a file"],
    ["a socket", makeSocket, "is a socket or a device"],
    ["a link to nothing", async (path) => await symlink("gone.csv", path), "does not exist"],
    [
      "a device",
      async (path) => await symlink("/dev/zero", path),
      "is a link that leads out of the pattern's folder",
    ],
  ])("is never left out in silence where a pattern meets it: %s", async (_, make, message) => {
    const folder = await folderWith(make);
    const { error } = await readToStop(configOf(folder, { path: "*.csv" }));
    expect(error).toBe(`ConfigError: odd.csv ${message}`);
  });
});

describe("a path that leads elsewhere", () => {
  it("is followed as a link when it is written out, and within the folder of a pattern", async () => {
    const folder = await folderWith(async (path) => await symlink("good.csv", path));
    const odd = 'odd.csv:2 {"id":"1"}';
    expect(await readToStop(configOf(folder, { path: "odd.csv" }))).toEqual({ items: [odd] });
    expect(await readToStop(configOf(folder, { path: "*.csv" }))).toEqual({ items: [good, odd] });
  });

  it.each<[what: string, make: (path: string, folder: string) => unknown, place: string]>([
    ["a link", async (path) => await symlink("/etc/passwd", path), "odd.csv"],
    [
      "a link to the environment",
      async (path) => await symlink("/proc/self/environ", path),
      "odd.csv",
    ],
    [
      "a link over two links",
      async (path, folder) => {
        await symlink("/etc/passwd", join(folder, "step"));
        await symlink("step", path);
      },
      "odd.csv",
    ],
    [
      "a folder",
      async (_, folder) => {
        const outside = await temporaryFolder();
        await writeFile(join(outside, "secret.csv"), rows);
        await symlink(outside, join(folder, "sub"));
      },
      "sub/secret.csv",
    ],
  ])("is refused out of the folder of a pattern through %s", async (_, make, place) => {
    const folder = await folderWith(make);
    const path = place.startsWith("sub") ? "{.,sub}/*.csv" : "*.csv";
    expect(await readToStop(configOf(folder, { path }))).toEqual({
      items: [],
      error: `ConfigError: ${place} is a link that leads out of the pattern's folder`,
    });
  });

  it("is refused when the link is put there between the look and the opening", async () => {
    const folder = await folderWith(() => undefined);
    const outside = await temporaryFolder();
    await writeFile(join(outside, "secret.csv"), rows);
    const [file] = await listFiles(configOf(folder, { path: "*.csv" }));
    if (file === undefined) throw new Error("there is no file");
    await symlink(join(outside, "secret.csv"), join(folder, "link"));
    await rename(join(folder, "link"), file.path);
    const thrown: unknown = await openFile(file, false).catch((caught: unknown) => caught);
    expect(messageOf(thrown)).toBe(
      "good.csv is a link that leads to itself, or was just put there",
    );
  });

  it("opens what was looked at when a link is turned to another file", async () => {
    const folder = await folderWith(async (path) => await symlink("good.csv", path));
    const [, odd] = await listFiles(configOf(folder, { path: "*.csv" }));
    expect(odd).toEqual({ place: "odd.csv", path: await realpath(join(folder, "good.csv")) });
  });

  it("holds no rows when it is the environment of the process", async () => {
    expect(await readToStop(configOf("/", { path: "/proc/self/environ" }))).toEqual({
      items: [],
      error: "ConfigError: /proc/self/environ has no header line: it is empty",
    });
  });

  it("is taken to the letter, not decoded", async () => {
    const folder = await folderWith(async (_, parent) => {
      await mkdir(join(parent, "%2e%2e"));
      await mkdir(join(parent, "in"));
    });
    expect(await readToStop(configOf(join(folder, "in"), { path: "%2e%2e/good.csv" }))).toEqual({
      items: [],
      error: `ConfigError: %2e%2e/good.csv does not exist: there is no folder ${join(folder, "in", "%2e%2e")}`,
    });
    await writeFile(join(folder, "%2e%2e", "good.csv"), rows);
    const { items } = await readToStop(configOf(folder, { path: "%2e%2e/good.csv" }));
    expect(items).toEqual(['%2e%2e/good.csv:2 {"id":"1"}']);
  });

  it("holds no NUL, and is no longer than a path may be", () => {
    expect(csvConfig.safeParse({ path: "a\0b.csv" }).success).toBe(false);
    for (const [chars, isTaken] of [
      [pathCharsMax - 1, true],
      [pathCharsMax, true],
      [pathCharsMax + 1, false],
    ] as const) {
      expect(csvConfig.safeParse({ path: "a".repeat(chars) }).success).toBe(isTaken);
    }
  });

  it("is a plain error where a name in it is too long", async () => {
    const folder = await temporaryFolder();
    const path = "a".repeat(pathCharsMax);
    expect((await readToStop(configOf(folder, { path }))).error).toBe(
      `ConfigError: ${path} is too long for a path`,
    );
    await rm(folder, { recursive: true });
  });
});

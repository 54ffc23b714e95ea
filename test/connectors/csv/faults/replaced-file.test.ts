import { appendFile, open, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { SourceChangedError } from "../../../../src/errors.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { configOf, readAll, readToStop, withFolder } from "../support.ts";
import { mayMount, mount, unmount } from "./mounts.ts";

/** Writes a file whose times do not show when it was written. */
async function writeTimeless(path: string, content: string): Promise<void> {
  await writeFile(path, content);
  await utimes(path, 1, 1);
}

const other = "a.csv is not the file this run began to read";

const hasTmpfs = mayMount("tmpfs");

type Reading = Awaited<ReturnType<typeof readToStop>>;

/** Resumes on another disk, on which the file has the same inode number, and on its own again. */
async function resumeOnTwoDisks(): Promise<readonly Reading[]> {
  const disk = join(await temporaryFolder(), "disk");
  const path = join(disk, "a.csv");
  const mountDisk = async (): Promise<bigint> => {
    mount(disk, "-t", "tmpfs", "-o", "size=1m", "tmpfs");
    await writeTimeless(path, "id\n1\n2\n");
    return (await stat(path, { bigint: true })).ino;
  };
  const ino = await mountDisk();
  const from = (await readAll(configOf(disk), { pageRowsMax: 1 })).positions[0];
  if ((await mountDisk()) !== ino) throw new Error("the file has another number");
  const elsewhere = await readToStop(configOf(disk), from);
  unmount(disk);
  return [elsewhere, await readToStop(configOf(disk), from)];
}

async function resumeFromTwoPositions(): Promise<readonly Reading[]> {
  return await withFolder({ "a.csv": "id\n1\n2\n" }, async (folder) => {
    const config = configOf(folder);
    const from = (await readAll(config, { pageRowsMax: 1 })).positions[0];
    if (from === undefined || !("dev" in from)) throw new Error("the position has no device");
    const elsewhere = await readToStop(config, { ...from, dev: `${from.dev}0` });
    return [elsewhere, await readToStop(config, from)];
  });
}

describe("a position of a file that was replaced", () => {
  it.each<[what: string, change: (path: string) => Promise<unknown>, message: string]>([
    ["is longer", async (path) => await appendFile(path, "4\n"), other],
    ["was touched", async (path) => await utimes(path, 2, 2), other],
    ["was replaced", async (path) => await rename(`${path}.bak`, path), other],
    ["is gone", async (path) => await rm(path), "a.csv is gone, and this run was reading it"],
  ])("does not resume a file that %s", async (what, change, message) => {
    const files = { "a.csv": "id\n1\n2\n3\n", "a.csv.bak": "id\n1\n2\n3\n" };
    await withFolder(files, async (folder) => {
      const config = configOf(folder, { path: "a*.csv*" });
      const path = join(folder, "a.csv");
      // Each change shows in only one property: size, time or inode number.
      for (const name of Object.keys(files)) await utimes(join(folder, name), 1, 1);
      const from = (await readAll(config, { pageRowsMax: 1 })).positions[0];
      await change(path);
      if (what === "is longer") await utimes(path, 1, 1);
      const resumed = readAll(config, { from });
      await expect(resumed).rejects.toThrow(SourceChangedError);
      await expect(resumed).rejects.toThrow(message);
    });
  });

  it("does not resume a file that was rewritten under the same size and time", async () => {
    await withFolder({ "a.csv": `id,name\n${"12345,abc\n".repeat(30_000)}` }, async (folder) => {
      const path = join(folder, "a.csv");
      await utimes(path, 1, 1);
      const { positions } = await readAll(configOf(folder), { pageRowsMax: 10_000, limit: 20_000 });
      const overwrite = async (offset: number): Promise<void> => {
        const file = await open(path, "r+");
        await file.write("9", offset);
        await file.close();
        await utimes(path, 1, 1);
      };
      const [, second] = positions;
      await overwrite(second !== undefined && "offset" in second ? second.offset - 3 : 0);
      const resumed = readAll(configOf(folder), { from: positions[1] });
      await expect(resumed).rejects.toThrow(
        /^a.csv holds something else before byte \d+ than was read there$/,
      );
      await expect(
        readAll(configOf(folder), { from: positions[0], limit: 1 }),
      ).resolves.toBeDefined();
      await overwrite(20);
      await expect(readAll(configOf(folder), { from: positions[0] })).rejects.toThrow(
        "a.csv begins differently than when it was read before",
      );
    });
  });

  it.each<[what: string, content: string, message: string]>([
    ["is shorter", "id\n1\n", "a.csv is shorter than what was already read of it"],
    [
      "begins otherwise",
      "id\n9\n2\n3\n4\n",
      "a.csv begins differently than when it was read before",
    ],
  ])("does not resume an append-only file that %s", async (_, content, message) => {
    await withFolder({ "a.csv": "id\n1\n2\n3\n" }, async (folder) => {
      const config = configOf(folder, { append_only: true });
      const from = (await readAll(config)).positions.at(-1);
      await writeFile(join(folder, "a.csv"), content);
      const resumed = readAll(config, { from });
      await expect(resumed).rejects.toThrow(SourceChangedError);
      await expect(resumed).rejects.toThrow(message);
    });
  });

  it(
    "does not resume the same bytes under the same number on another device " +
      `(${hasTmpfs ? "two tmpfs" : "told by the position, as mounting is refused"})`,
    async () => {
      const readings = await (hasTmpfs ? resumeOnTwoDisks() : resumeFromTwoPositions());
      expect(readings).toEqual([
        { items: [], error: `SourceChangedError: ${other}` },
        { items: ['a.csv:3 {"id":"2"}'] },
      ]);
    },
  );
});

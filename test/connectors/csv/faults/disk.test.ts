import { copyFileSync } from "node:fs";
import { chmod, mkdir, open, rename, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { MockActivityEnvironment } from "@temporalio/testing";
import { describe, expect, it, onTestFinished } from "vitest";

import { toFailure } from "../../../../activities/failure.ts";
import { columnsOfCsv } from "../../../../connectors/csv/check.ts";
import { missingFileMs } from "../../../../connectors/csv/limits.ts";
import { openFile } from "../../../../connectors/csv/open.ts";
import { bytesOf } from "../../../../connectors/csv/parse/bytes.ts";
import { ConfigError, messageOf } from "../../../../src/errors.ts";
import { lock } from "../../../support/process/lock.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { configOf, keptLog, readAll, readToStop } from "../support.ts";
import { makeImage, mayMount, mount, unmount } from "./mounts.ts";

/** Whether Temporal retries this failure at this time after the first scheduling. */
async function isRetried(error: unknown, afterMs: number): Promise<boolean> {
  const info = { scheduledTimestampMs: 0, currentAttemptScheduledTimestampMs: afterMs };
  const convert = async (): Promise<boolean> => toFailure(error, 0).nonRetryable !== true;
  return await new MockActivityEnvironment(info).run<[], boolean, typeof convert>(convert);
}

describe("a file that may not be read", () => {
  it.each([
    ["itself", "a.csv", "a.csv"],
    ["among others of a pattern", "a.csv", "*.csv"],
    ["in a folder that may not be entered", "in", "in/a.csv"],
  ])("stops the sync: %s", async (_, locked, path) => {
    const folder = await temporaryFolder();
    await chmod(folder, 0o755);
    await mkdir(join(folder, "in"));
    for (const name of ["a.csv", "b.csv", "in/a.csv"])
      await writeFile(join(folder, name), "id\n1\n");
    onTestFinished(await lock(join(folder, locked)));
    const place = path.replace("*", "a");
    expect(await readToStop(configOf(folder, { path }))).toEqual({
      items: [],
      error: `ConfigError: ${place} may not be read by this process`,
    });
  });

  it("is not taken for missing in a folder that may not be listed", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "a.csv"), "id\n1\n");
    onTestFinished(await lock(folder, 0o311));
    expect((await readToStop(configOf(folder, { path: "*.csv" }))).error).toBe(
      `ConfigError: ${folder} may not be read by this process`,
    );
  });

  it.each(["in/*.csv", "*/*.csv", "**/*.csv", "{in,out}/*.csv"])(
    "is not left out in silence by a pattern that may not list its folder: %s",
    async (path) => {
      const folder = await temporaryFolder();
      await chmod(folder, 0o755);
      for (const name of ["in", "out"]) {
        await mkdir(join(folder, name));
        await writeFile(join(folder, name, "a.csv"), "id\n1\n");
      }
      onTestFinished(await lock(join(folder, "in"), 0o311));
      expect(await readToStop(configOf(folder, { path }))).toEqual({
        items: [],
        error: "ConfigError: in may not be read by this process",
      });
    },
  );
});

describe("a file that is not there", () => {
  it.each(["a.csv", "*.csv", "in/a.csv", "in/*.csv"])(
    "is asked for again for five minutes, then stops the sync: %s",
    async (path) => {
      const config = configOf(await temporaryFolder(), { path });
      const ask = { config, signal: new AbortController().signal, log: keptLog() };
      for (const asking of [
        async () => await readAll(config),
        async () => await columnsOfCsv(ask),
      ]) {
        const error: unknown = await asking().catch((caught: unknown) => caught);
        expect(error).toBeInstanceOf(ConfigError);
        expect(await isRetried(error, 0)).toBe(true);
        expect(await isRetried(error, missingFileMs - 10_000)).toBe(true);
        expect(await isRetried(error, missingFileMs)).toBe(false);
      }
    },
  );

  it("is read on where it was left when it comes back", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "a.csv");
    await writeFile(path, "id\n0\n1\n");
    const config = configOf(folder);
    const from = (await readAll(config, { pageRowsMax: 1 })).positions[0];
    await rename(path, `${path}.away`);
    expect((await readToStop(config, from)).error).toBe("ConfigError: a.csv does not exist");
    await rename(`${path}.away`, path);
    expect((await readToStop(config, from)).items).toEqual(['a.csv:3 {"id":"1"}']);
  });
});

const hasLoop = mayMount("loop");

describe("a disk that fails", () => {
  it(
    "is tried again, and read to the end once it is well " +
      `(${hasLoop ? "a loop device cut short" : "an error put in, as mounting is refused"})`,
    async () => {
      const { failure, itemsBefore, well } = await (hasLoop
        ? readFromCutDevice()
        : readWithInjectedError());
      expect(failure).toBe("RetryLater: a.csv cannot be read: EIO");
      expect(itemsBefore.length).toBeLessThan(well.items.length);
      expect(itemsBefore).toEqual(well.items.slice(0, itemsBefore.length));
      expect(well.error).toBeUndefined();
    },
  );
});

type Reading = Awaited<ReturnType<typeof readToStop>>;

/** How a read failed, what it had yielded by then, and its result once the disk works again. */
type Failing = {
  readonly failure: string | undefined;
  readonly itemsBefore: readonly string[];
  readonly well: Reading;
};

async function readFromCutDevice(): Promise<Failing> {
  const folder = await temporaryFolder();
  const image = join(folder, "image");
  const disk = join(folder, "disk");
  makeImage(image);
  mount(disk, "-o", "loop", image);
  await writeFile(join(disk, "a.csv"), `id\n${`${"1234567".repeat(100)}\n`.repeat(7_000)}`);
  unmount(disk);
  copyFileSync(image, `${image}.well`);
  mount(disk, "-o", "loop,ro", image);
  await truncate(image, 3 * 1024 * 1024);
  const { error, items } = await readToStop(configOf(disk));
  await copyInto(`${image}.well`, image);
  return { failure: error, itemsBefore: items, well: await readToStop(configOf(disk)) };
}

/** Overwrites a file in place: the loop device holds the old inode. */
async function copyInto(source: string, target: string): Promise<void> {
  const [from, to] = [await open(source), await open(target, "r+")];
  await to.writeFile(await from.readFile());
  await Promise.all([from.close(), to.close()]);
}

async function readWithInjectedError(): Promise<Failing> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "a.csv"), "id\n1\n");
  const file = await openFile({ place: "a.csv", path: join(folder, "a.csv") }, false);
  onTestFinished(async () => await file.handle.close());
  const failure = Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" });
  file.handle.read = async () => await Promise.reject(failure);
  const { signal } = new AbortController();
  const error: unknown = await bytesOf(file, { from: 0, signal })
    .next()
    .catch((caught: unknown) => caught);
  const name = error instanceof Error ? error.name : "";
  const well = await readToStop(configOf(folder));
  return { failure: `${name}: ${messageOf(error)}`, itemsBefore: [], well };
}

import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { StagingError } from "../../../src/errors.ts";
import {
  createAtomicFile,
  freeBytes,
  pageStartsFile,
  stagedFile,
  cleanUpChunk,
  cleanUpRun,
} from "../../../src/staging/folder.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).toSorted((a, b) => a.localeCompare(b));
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

/** A folder with files of several chunks, stages and parts. */
async function staging(): Promise<{
  readonly folder: string;
  readonly left: () => Promise<string[]>;
}> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "run-1"));
  const names = ["1.stage-1", "1.stage-1.part-2", "1.stage-10", "1.stage-2", "11.stage-1"];
  for (const each of names) await writeFile(join(folder, "run-1", `chunk-${each}.jsonl.gz`), "");
  await writeFile(join(folder, "run-1", "chunk-1.stage-1.jsonl.gz.pages"), "");
  await writeFile(join(folder, "run-1", "chunk-1.stage-1.jsonl.gz.partial"), "");
  return { folder, left: async () => await namesIn(join(folder, "run-1")) };
}

const name = { runId: "run-1", chunk: 3, stage: 2 };

describe("stagedFile", () => {
  it("gives every staging, and every part of it, a file of its own", () => {
    expect(stagedFile("/s", name)).toBe("/s/run-1/chunk-3.stage-2.jsonl.gz");
    expect(stagedFile("/s", name, 0)).toBe(stagedFile("/s", name));
    expect(stagedFile("/s", name, 4)).toBe("/s/run-1/chunk-3.stage-2.part-4.jsonl.gz");
    expect(pageStartsFile("/s/a.gz")).toBe("/s/a.gz.pages");
  });
});

describe("createAtomicFile", () => {
  it("has no name before it is finished, and then is whole", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "run-1", "a");
    const file = await createAtomicFile(path);
    await file.write(Buffer.from("first "));
    await file.write(Buffer.from("second"));
    // What a crash at this point would leave.
    expect(await namesIn(join(folder, "run-1"))).toEqual(["a.partial"]);
    await file.finish();
    await file.discard();
    expect(await namesIn(join(folder, "run-1"))).toEqual(["a"]);
    expect(await readFile(path, "utf8")).toBe("first second");
  });

  it("is for this user alone (T12)", async () => {
    const folder = await temporaryFolder();
    const file = await createAtomicFile(join(folder, "run-1", "a"));
    await file.finish();
    expect(await modeOf(join(folder, "run-1"))).toBe(0o700);
    expect(await modeOf(join(folder, "run-1", "a"))).toBe(0o600);
  });

  it("leaves nothing when it is discarded, twice too", async () => {
    const folder = await temporaryFolder();
    const file = await createAtomicFile(join(folder, "a"));
    await file.write(Buffer.from("x"));
    await file.discard();
    await file.discard();
    expect(await namesIn(folder)).toEqual([]);
  });

  it("replaces what an attempt that died has left", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "a.partial"), "a longer text of old");
    const file = await createAtomicFile(join(folder, "a"));
    await file.write(Buffer.from("new"));
    await file.finish();
    expect(await readFile(join(folder, "a"), "utf8")).toBe("new");
  });

  it("says on a full disk which file it was and what to do, and leaves no name", async () => {
    const folder = await temporaryFolder();
    await symlink("/dev/full", join(folder, "a.partial"));
    const file = await createAtomicFile(join(folder, "a"));
    const failed = await file.write(Buffer.from("x")).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(StagingError);
    expect(failed).toMatchObject({ code: "Unavailable", retryable: true });
    expect(failed).toHaveProperty("message", expect.stringContaining(join(folder, "a")));
    expect(failed).toHaveProperty("message", expect.stringContaining("ENOSPC"));
    expect(failed).toHaveProperty("hint", expect.stringContaining("free space"));
    await file.discard();
    expect(await namesIn(folder)).toEqual([]);
  });

  it("is a retryable error when its folder has vanished", async () => {
    const folder = await temporaryFolder();
    const file = await createAtomicFile(join(folder, "run-1", "a"));
    await rm(join(folder, "run-1"), { recursive: true });
    await expect(file.finish()).rejects.toMatchObject({ code: "Unavailable", retryable: true });
    await file.discard();
  });

  it("is one when something else stands where the folder should", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "run-1"), "");
    await expect(createAtomicFile(join(folder, "run-1", "a"))).rejects.toThrow(StagingError);
  });
});

describe("sweeping", () => {
  it("removes all of a chunk, of every stage, and nothing of another", async () => {
    const { folder, left } = await staging();
    await cleanUpChunk(folder, { runId: "run-1", chunk: 1 });
    expect(await left()).toEqual(["chunk-11.stage-1.jsonl.gz"]);
  });

  it("removes the stages before one, and never a later stage's files", async () => {
    const { folder, left } = await staging();
    const all = await left();
    await cleanUpChunk(folder, { runId: "run-1", chunk: 1, before: 1 });
    expect(await left()).toEqual(all);
    await cleanUpChunk(folder, { runId: "run-1", chunk: 1, before: 2 });
    expect(await left()).toEqual(all.filter((file) => !file.startsWith("chunk-1.stage-1.")));
  });

  it("removes a run, and takes what is not there for checked", async () => {
    const { folder } = await staging();
    await cleanUpRun(folder, { runId: "run-1" });
    await cleanUpRun(folder, { runId: "run-1" });
    await cleanUpChunk(folder, { runId: "run-1", chunk: 1 });
    expect(await namesIn(folder)).toEqual([]);
  });
});

describe("freeBytes", () => {
  it("knows the disk of a folder", async () => {
    expect(await freeBytes(await temporaryFolder())).toBeGreaterThan(0);
  });
});

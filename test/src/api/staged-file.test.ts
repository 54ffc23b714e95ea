import { randomBytes } from "node:crypto";
import { appendFile, mkdir, truncate, unlink } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { finished } from "node:stream/promises";

import { describe, expect, it, onTestFinished } from "vitest";

import { putBlockBytes } from "../../../src/api/limits.ts";
import { openStagedFile } from "../../../src/api/staged-file.ts";
import type { StagedFile, StagedFileFacts } from "../../../src/api/staged-file.ts";
import { StagedFileMissingError } from "../../../src/errors.ts";
import { rejection, stageFile } from "./support.ts";

async function opened(facts: StagedFileFacts): Promise<StagedFile> {
  const file = await openStagedFile(facts);
  onTestFinished(async () => {
    await file.close();
  });
  return file;
}

describe("openStagedFile", () => {
  it.each([1, putBlockBytes - 1, putBlockBytes, putBlockBytes + 1, 3 * putBlockBytes])(
    "gives a file of %i bytes whole and says how far it is",
    async (bytes) => {
      const content = randomBytes(bytes);
      const told: number[] = [];
      const file = await opened({
        ...(await stageFile(content)),
        onBytes: (sent) => told.push(sent),
      });
      expect(file.isSent()).toBe(false);
      expect(content.equals(await buffer(file.stream()))).toBe(true);
      expect(file.isSent()).toBe(true);
      expect(told).toHaveLength(Math.ceil(bytes / putBlockBytes));
      expect(told.at(-1)).toBe(bytes);
    },
  );

  it("misses a file that is gone", async () => {
    const facts = await stageFile("content");
    await unlink(facts.path);
    expect(await rejection(openStagedFile(facts))).toBeInstanceOf(StagedFileMissingError);
  });

  it("misses the file where a folder stands", async () => {
    const facts = await stageFile("content");
    await unlink(facts.path);
    await mkdir(facts.path);
    expect(await rejection(openStagedFile(facts))).toBeInstanceOf(StagedFileMissingError);
  });

  it.each([-1, 1])("misses a file whose length differs by %i", async (difference) => {
    const facts = await stageFile("content");
    const error = await rejection(openStagedFile({ ...facts, bytes: facts.bytes + difference }));
    expect(error).toBeInstanceOf(StagedFileMissingError);
  });

  it("never gives the last block of a file that is not the one staged", async () => {
    const facts = await stageFile(randomBytes(putBlockBytes + 1));
    const file = await opened({ ...facts, gzipSha256: "0".repeat(64) });
    const stream = file.stream();
    const blocks: number[] = [];
    stream.on("data", (block: Buffer) => blocks.push(block.length));
    expect(await rejection(finished(stream))).toBeInstanceOf(StagedFileMissingError);
    expect(blocks).toEqual([putBlockBytes]);
    expect(file.isSent()).toBe(false);
  });

  it("gives what was staged of a file that grows meanwhile", async () => {
    const content = randomBytes(1_000);
    const facts = await stageFile(content);
    const file = await opened(facts);
    await appendFile(facts.path, "more");
    expect(content.equals(await buffer(file.stream()))).toBe(true);
  });

  it("fails when the file is cut short meanwhile", async () => {
    const facts = await stageFile(randomBytes(1_000));
    const file = await opened(facts);
    await truncate(facts.path, 0);
    expect(await rejection(buffer(file.stream()))).toBeInstanceOf(StagedFileMissingError);
  });
});

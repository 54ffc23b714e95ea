import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createGzipWriter } from "../../../src/pipeline/gzip.ts";
import { deflateBlockBytes } from "../../../src/pipeline/limits.ts";
import { stagedLines } from "../../../src/staging/staged-lines.ts";
import type { Ranges } from "../../../src/state/ranges.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { collect } from "../../support/sequences.ts";

/** Stages lines as staging does for a chunk. */
async function stage(lines: readonly string[]): Promise<string> {
  const blocks: Buffer[] = [];
  const gzip = createGzipWriter(async (bytes) => void blocks.push(Buffer.from(bytes)), 1);
  for (const line of lines) await gzip.add(Buffer.from(`${line}\n`));
  await gzip.finish();
  const file = join(await temporaryFolder(), "chunk.jsonl.gz");
  await writeFile(file, Buffer.concat(blocks));
  return file;
}

async function read(file: string, ranges: Ranges): Promise<(readonly [number, string])[]> {
  const found = await collect(stagedLines(file, ranges));
  return found.map(({ record, line }) => [record, line.toString()] as const);
}

/** Ascending ranges that do not touch, from sorted distinct numbers. */
function rangesOf(cuts: readonly number[]): (readonly [number, number])[] {
  const sorted = cuts.toSorted((a, b) => a - b);
  return sorted.flatMap((from, index) => {
    const to = sorted[index + 1];
    return index % 2 === 0 && to !== undefined ? [[from, to] as const] : [];
  });
}

describe("stagedLines", () => {
  it("yields what a slice of all lines holds, with their numbers", async () => {
    const line = fc.string({ unit: "grapheme", maxLength: 40 }).map((text) => JSON.stringify(text));
    const story = fc
      .array(line, { minLength: 1, maxLength: 60 })
      .chain((lines) =>
        fc.tuple(
          fc.constant(lines),
          fc.uniqueArray(fc.nat({ max: lines.length }), { maxLength: 8 }),
        ),
      );
    await fc.assert(
      fc.asyncProperty(story, async ([lines, cuts]) => {
        const ranges = rangesOf(cuts);
        const expected = ranges.flatMap(([from, to]) =>
          lines.slice(from, to).map((text, index) => [from + index, text] as const),
        );
        expect(await read(await stage(lines), ranges)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it("puts lines together that come in several pieces", async () => {
    const lines = ["a".repeat(deflateBlockBytes + 7), "b", "é".repeat(100_000), "c"];
    const found = await read(await stage(lines), [[0, 4]]);
    expect(found.map(([, line]) => line)).toEqual(lines);
  });

  const lines = Array.from({ length: 5_000 }, (_, n) =>
    JSON.stringify({ n, text: String(Math.sin(n)) }),
  );

  it.each([4_999, 5_000])("finds record %i of 5,000", async (to) => {
    expect(await read(await stage(lines), [[4_998, to]])).toHaveLength(to - 4_998);
  });

  it("misses record 5,001 of 5,000", async () => {
    const missing = { code: "StagedFileMissing", retryable: false };
    await expect(read(await stage(lines), [[4_998, 5_001]])).rejects.toMatchObject(missing);
  });

  it("reads no further than it must: what is cut off behind does not matter", async () => {
    const file = await stage(lines);
    await truncate(file, 10_000);
    expect(await read(file, [[0, 2]])).toHaveLength(2);
    await expect(read(file, [[0, 5_000]])).rejects.toMatchObject({ code: "StagedFileMissing" });
  });

  it.each([
    ["is gone", undefined],
    ["is not a gzip file", "not gzip at all"],
    ["is empty", ""],
  ])("asks for the chunk to be staged again when the file %s", async (_, content) => {
    const file = join(await temporaryFolder(), "chunk.jsonl.gz");
    if (content !== undefined) await writeFile(file, content);
    await expect(read(file, [[0, 1]])).rejects.toMatchObject({ code: "StagedFileMissing" });
  });
});

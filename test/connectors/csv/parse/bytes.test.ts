import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { blockBytes, gzipRatioFreeBytes, gzipRatioMax } from "../../../../connectors/csv/limits.ts";
import { openFile } from "../../../../connectors/csv/open.ts";
import { bytesOf } from "../../../../connectors/csv/parse/bytes.ts";
import { ConfigError } from "../../../../src/errors.ts";
import { withFolder } from "../support.ts";

async function read(content: Uint8Array, from = 0, to?: number): Promise<Buffer> {
  return await withFolder({ "a.csv": content }, async (folder) => {
    const file = await openFile({ place: "a.csv", path: `${folder}/a.csv` }, false);
    const { signal } = new AbortController();
    try {
      const pieces: Buffer[] = [];
      for await (const piece of bytesOf(file, { from, to, signal })) {
        expect(piece.length).toBeLessThanOrEqual(blockBytes);
        pieces.push(Buffer.from(piece));
      }
      return Buffer.concat(pieces);
    } finally {
      await file.handle.close();
    }
  });
}

/** Text that gzip cannot compress much: unequal lines. */
const text = Buffer.from(
  Array.from({ length: 500_000 }, (_, index) => `${(index * 7919) % 1_000_003}\n`).join(""),
);

/** The same file with one bit of its checksum flipped. */
function flipped(gzip: Buffer): Buffer {
  gzip[gzip.length - 8] = (gzip.at(-8) ?? 0) ^ 1;
  return gzip;
}

describe("bytesOf", () => {
  it.each<[what: string, stored: Buffer]>([
    ["stored", text],
    ["gzipped", gzipSync(text)],
    [
      "gzipped in two members",
      Buffer.concat([gzipSync(text.subarray(0, 1000)), gzipSync(text.subarray(1000))]),
    ],
  ])("reads any stretch of a %s file", async (_, stored) => {
    expect((await read(stored)).equals(text)).toBe(true);
    for (const [from, to] of [
      [0, 1],
      [1, blockBytes],
      [blockBytes - 1, blockBytes + 1],
      [text.length - 1, text.length],
      [5, 5],
    ]) {
      expect((await read(stored, from, to)).equals(text.subarray(from, to))).toBe(true);
    }
  });

  it.each<[what: string, stored: Buffer, message: string]>([
    ["cut", gzipSync(text).subarray(0, -9), "a.csv: the gzip file ends in the middle"],
    ["damaged", gzipSync(text).fill(0, 50_000, 50_100), "a.csv: the gzip file is damaged"],
    ["changed by a bit", flipped(gzipSync(text)), "a.csv: the gzip file is damaged"],
    [
      "followed by something else",
      Buffer.concat([gzipSync(text), Buffer.from("1,2\n")]),
      `a.csv: the gzip file is damaged after byte ${3 * blockBytes}`,
    ],
    [
      "read to a zero byte between two members",
      Buffer.concat([gzipSync("1\n"), Buffer.alloc(1), gzipSync("2\n")]),
      `a.csv: the gzip data ends at byte ${gzipSync("1\n").length}, but the file has 45 bytes`,
    ],
    [
      "padded with zeros, or has zeros for a second member",
      Buffer.concat([gzipSync(text), Buffer.alloc(blockBytes)]),
      `a.csv: the gzip data ends at byte ${gzipSync(text).length}, but`,
    ],
  ])("stops at a gzip file that is %s", async (_, stored, message) => {
    const reading = read(stored);
    await expect(reading).rejects.toThrow(ConfigError);
    await expect(reading).rejects.toThrow(message);
  });

  it("stops at a gzip file that unpacks out of proportion, once it is no longer small", async () => {
    const small = gzipSync(Buffer.alloc(gzipRatioFreeBytes, "1,2\n"));
    expect(gzipRatioFreeBytes / small.length).toBeGreaterThan(gzipRatioMax);
    expect(await read(small)).toHaveLength(gzipRatioFreeBytes);
    const bomb = gzipSync(Buffer.alloc(gzipRatioFreeBytes + 1, "1,2\n"));
    await expect(read(bomb)).rejects.toThrow(/^a.csv unpacks to more than 500 times its size/);
  });
});

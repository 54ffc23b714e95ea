import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import {
  gzipRatioFreeBytes,
  gzipRatioMax,
  unpackedBytesMax,
} from "../../../../connectors/csv/limits.ts";
import { assertInProportion } from "../../../../connectors/csv/parse/bytes.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { readContent } from "../support.ts";
import { readApart, readMemoryMax } from "./reader.ts";

const rows = Array.from({ length: 20_000 }, (_, id) => `${id},${(id * 7919) % 1_000_003}\n`);
const text = `id,name\n${rows.join("")}`;
const outOfProportion = `a.csv unpacks to more than ${gzipRatioMax} times its size, or ${unpackedBytesMax} bytes`;

const memberBytes = 8 * 1024 * 1024;
const memberRowBytes = 64 * 1024;

/** A gzip member of 8 MiB of rows, compressed nearly 1,000 to 1 except for this many bytes of noise. */
function memberOf(noiseBytes: number): Buffer {
  const unpacked = Buffer.alloc(memberBytes, `1,${"x".repeat(memberRowBytes - 3)}\n`);
  const noise = randomBytes(noiseBytes).toString("hex").slice(0, noiseBytes);
  unpacked.write(noise, 2);
  return gzipSync(unpacked);
}

/** Checks whether this many bytes may unpack to that many. */
function unpacking(packedBytes: number, unpackedBytes: number): () => void {
  return () => assertInProportion("a.csv", packedBytes, unpackedBytes);
}

async function folderWithMembers(member: Buffer, count: number): Promise<string> {
  const folder = await temporaryFolder();
  const members = Array.from({ length: count }, () => member);
  await writeFile(join(folder, "a.csv"), Buffer.concat([gzipSync("id,name\n"), ...members]));
  return folder;
}

describe("a compressed file (T22)", () => {
  it("is read when it is gzip, whatever its name", async () => {
    const { items, error } = await readContent(gzipSync(text));
    expect([items.length, items[0], error]).toEqual([
      rows.length,
      'a.csv:2 {"id":"0","name":"0"}',
      undefined,
    ]);
  });

  it.each([
    ["a zip archive", Buffer.from("PK\u0003\u0004\u0014\0rest")],
    ["an .xlsx workbook", Buffer.from("PK\u0003\u0004\u0014\0\u0006\0[Content_Types].xml")],
  ])("stops the sync when it is %s", async (_, content) => {
    expect(await readContent(content)).toEqual({
      items: [],
      error: "ConfigError: a.csv is a zip archive, as an .xlsx workbook is too",
    });
  });

  it("fails the chunk when it is cut, and none of what it yields is more than was whole", async () => {
    const whole = gzipSync(text);
    for (const bytes of [whole.length - 1, whole.length - 8, whole.length - 9, whole.length >> 1]) {
      const { items, error } = await readContent(whole.subarray(0, bytes));
      expect(error).toBe("ConfigError: a.csv: the gzip file ends in the middle");
      // If it is cut within its checksum, it has yielded every row, and fails all the same.
      expect(items.length).toBeLessThanOrEqual(rows.length);
      expect(items).toEqual(
        rows.slice(0, items.length).map((row, index) => {
          const [id, name] = row.trimEnd().split(",");
          return `a.csv:${index + 2} ${JSON.stringify({ id, name })}`;
        }),
      );
    }
  });

  it("stops at 1,000 to 1 before its first page, in the memory that any file takes", async () => {
    const folder = await folderWithMembers(memberOf(0), 512);
    const { grownBytes, ...read } = await readApart(folder);
    expect(read).toEqual({ rows: 0, rejects: 0, error: outOfProportion });
    expect(grownBytes).toBeLessThan(readMemoryMax);
  });

  it("is read to its end in proportion, in the memory that any file takes", async () => {
    const member = memberOf(20_000);
    expect(memberBytes / member.length).toBeGreaterThan(200);
    const folder = await folderWithMembers(member, 32);
    const { grownBytes, ...read } = await readApart(folder);
    expect(read).toEqual({ rows: 32 * (memberBytes / memberRowBytes), rejects: 0 });
    expect(grownBytes).toBeLessThan(readMemoryMax);
  });

  it("may unpack to the limit of its proportion and no further", () => {
    const packed = 1_000_000;
    expect(unpacking(packed, packed * gzipRatioMax - 1)).not.toThrow();
    expect(unpacking(packed, packed * gzipRatioMax)).not.toThrow();
    expect(unpacking(packed, packed * gzipRatioMax + 1)).toThrow("times its size");
    expect(unpacking(1, gzipRatioFreeBytes)).not.toThrow();
  });

  it("may unpack to the limit of its size and no further", () => {
    expect(unpacking(unpackedBytesMax, unpackedBytesMax - 1)).not.toThrow();
    expect(unpacking(unpackedBytesMax, unpackedBytesMax)).not.toThrow();
    expect(unpacking(unpackedBytesMax, unpackedBytesMax + 1)).toThrow(
      `or ${unpackedBytesMax} bytes`,
    );
  });
});

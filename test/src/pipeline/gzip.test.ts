import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";

import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createGzipWriter, type GzipFacts } from "../../../src/pipeline/gzip.ts";
import { deflateBlockBytes } from "../../../src/pipeline/limits.ts";

/** Our own compressor, and zlib. */
const levels = [1, 6];

async function gzipOf(
  pieces: readonly Buffer[],
  level = 1,
): Promise<{ readonly file: Buffer; readonly facts: GzipFacts }> {
  const written: Buffer[] = [];
  const gzip = createGzipWriter(async (bytes) => void written.push(Buffer.from(bytes)), level);
  for (const piece of pieces) await gzip.add(piece);
  const facts = await gzip.finish();
  return { file: Buffer.concat(written), facts };
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A program's output for a file on its standard input; rejects if it ends with a status other than 0. */
async function readBy(command: string, args: readonly string[], file: Buffer): Promise<Buffer> {
  const child = execFile(command, args, { encoding: "buffer", maxBuffer: 64 * 1024 * 1024 });
  const exit: Promise<unknown[]> = once(child, "exit");
  child.stdin?.end(file);
  const output = child.stdout === null ? Buffer.alloc(0) : await buffer(child.stdout);
  const [code] = await exit;
  if (code !== 0) throw new Error(`${command} ended with ${String(code)}`);
  return output;
}

/** Reads one gzip member and fails on anything after it. */
const python = `
import sys, zlib
data = sys.stdin.buffer.read()
member = zlib.decompressobj(31)
sys.stdout.buffer.write(member.decompress(data))
sys.exit(0 if member.eof and not member.unused_data else 1)`;
import { someOf } from "../../support/trials.ts";

describe("createGzipWriter", () => {
  it("gives back the bytes whatever the pieces, and says truly what it wrote", async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 3_000 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.integer({ min: 1, max: 9 }), async (arrays, level) => {
        const parts = arrays.map((array) => Buffer.from(array));
        const whole = Buffer.concat(parts);
        const { file, facts } = await gzipOf(parts, level);
        expect(gunzipSync(file).equals(whole)).toBe(true);
        expect(facts).toEqual({
          jsonBytes: whole.length,
          gzipBytes: file.length,
          jsonlSha256: sha256(whole),
          gzipSha256: sha256(file),
        });
      }),
      { numRuns: 50 },
    );
  });

  // Longer than several blocks, with compressible and incompressible content.
  const long = Buffer.concat([
    randomBytes(deflateBlockBytes + 1),
    Buffer.alloc(3 * deflateBlockBytes, "a line of text\n"),
    randomBytes(100),
  ]);

  const files: readonly (readonly [string, Buffer])[] = [
    ["nothing", Buffer.alloc(0)],
    ["one block less a byte", long.subarray(0, deflateBlockBytes - 1)],
    ["one block", long.subarray(0, deflateBlockBytes)],
    ["one block and a byte", long.subarray(0, deflateBlockBytes + 1)],
    ["many blocks", long],
  ];

  const made = files.flatMap(([name, bytes]) => levels.map((level) => ({ name, bytes, level })));

  // `npm test` tries only our own compressor: the other is zlib's.
  it.each(someOf(made, levels.length))(
    "is one member to every reader: $name, level $level",
    async ({ bytes, level }) => {
      const pieces = Array.from({ length: Math.ceil(bytes.length / 300_000) }, (_, n) =>
        bytes.subarray(n * 300_000, (n + 1) * 300_000),
      );
      const { file } = await gzipOf(pieces, level);
      expect(gunzipSync(file).equals(bytes)).toBe(true);
      expect((await readBy("python3", ["-c", python], file)).equals(bytes)).toBe(true);
      await readBy("gzip", ["-t"], file);
    },
  );

  it.each(levels)("gives the same bytes for the same rows, at level %i", async (level) => {
    const { file } = await gzipOf([long], level);
    expect((await gzipOf([long], level)).file.equals(file)).toBe(true);
  });

  it.each(levels)("never says less than the file would have, at level %i", async (level) => {
    const written: Buffer[] = [];
    const gzip = createGzipWriter(async (bytes) => void written.push(Buffer.from(bytes)), level);
    const trailer = 10;
    for (let from = 0; from < long.length; from += 200_000) {
      await gzip.add(long.subarray(from, from + 200_000));
      const atMost = gzip.bytesAtMost();
      await gzip.flush();
      expect(Buffer.concat(written).length + trailer).toBe(gzip.bytesAtMost());
      expect(gzip.bytesAtMost()).toBeLessThanOrEqual(atMost * 1.002);
    }
    const { gzipBytes } = await gzip.finish();
    expect(gzip.bytesAtMost()).toBe(gzipBytes + trailer);
  });
});

describe("a gzip writer whose file cannot be written", () => {
  const unhandled: unknown[] = [];
  const keep = (reason: unknown): void => void unhandled.push(reason);

  beforeEach(() => {
    unhandled.length = 0;
    process.prependListener("unhandledRejection", keep);
  });
  afterEach(() => void process.off("unhandledRejection", keep));

  const fails = [1, 2, 4].flatMap((failsAt) => levels.map((level) => ({ failsAt, level })));

  it.each(fails)("fails at write $failsAt, at level $level", async ({ failsAt, level }) => {
    let writes = 0;
    const full = new Error("no space left");
    const gzip = createGzipWriter(async () => {
      writes += 1;
      if (writes === failsAt) throw full;
    }, level);
    const work = async (): Promise<void> => {
      for (let block = 0; block < 8; block += 1) {
        await gzip.add(Buffer.alloc(deflateBlockBytes, block));
      }
      await gzip.finish();
    };
    await expect(work()).rejects.toBe(full);
    await expect(gzip.flush()).rejects.toBe(full);
  });

  it.each(levels)("does not end the process before the first lines, at level %i", async (level) => {
    const full = new Error("no space left");
    const gzip = createGzipWriter(async () => await Promise.reject(full), level);
    // Unhandled rejections are reported once the microtasks are done.
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
    await expect(gzip.finish()).rejects.toBe(full);
  });
});

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createGzipWriter } from "../../../src/pipeline/gzip.ts";
import { inflate, type Inflated } from "./inflate.ts";

/** Bytes that are compressed at a time. */
const area = 262_144;
const [headerBytes, checkBytes] = [10, 8];

/** A file of pieces; with `flushed`, each is compressed before the next one comes. */
async function gzipOf(pieces: readonly Buffer[], flushed = false): Promise<Buffer> {
  const written: Buffer[] = [];
  const gzip = createGzipWriter(async (bytes) => void written.push(Buffer.from(bytes)), 1);
  for (const piece of pieces) {
    await gzip.add(piece);
    if (flushed) await gzip.flush();
  }
  await gzip.finish();
  return Buffer.concat(written);
}

/** What our own reader finds in the only member of a file. */
function readOurs(file: Buffer): Inflated {
  return inflate(file.subarray(headerBytes, -checkBytes));
}

/** The same incompressible bytes for the same seed. */
function noise(bytes: number, seed = "noise"): Buffer {
  const blocks = Array.from({ length: Math.ceil(bytes / 32) }, (_, index) =>
    createHash("sha256").update(`${seed} ${index}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, bytes);
}

/** Forty blocks of 10,000 bytes, of which three are distinct. */
function tensOf(name: string): Buffer {
  return Buffer.concat(Array.from({ length: 40 }, (_, n) => noise(10_000, `${name}${n % 3}`)));
}

/** Lines of 32 bytes, 12 of them always the same: matches come often, with much between them. */
function lines(count: number): Buffer {
  const fixed = Buffer.from(`","domain":"`);
  return Buffer.concat(
    Array.from({ length: count }, (_, n) => Buffer.concat([noise(20, `line ${n}`), fixed])),
  );
}

/** Three bytes below 96, different from those of the neighbouring numbers. */
function counterOf(n: number): readonly number[] {
  return [n & 31, 32 + ((n >> 5) & 31), 64 + ((n >> 10) & 31)];
}

/** Symbols with Fibonacci frequencies, among counters without repeats: a tree of more than 20 levels. */
function fibonacci(): Buffer {
  const rare: number[] = [];
  for (let [symbol, often, next] = [128, 1, 1]; symbol < 150; symbol += 1) {
    for (let left = often; left > 0; left -= 1) rare.push(symbol);
    [often, next] = [next, often + next];
  }
  const order = noise(rare.length * 4);
  const shuffled = rare
    .map((symbol, n) => ({ symbol, at: order.readUInt32LE(n * 4) }))
    .toSorted((a, b) => a.at - b.at);
  return Buffer.from(shuffled.flatMap(({ symbol }, n) => [symbol, ...counterOf(n)]));
}

const far = lines(1_024);
const cases: readonly (readonly [string, Buffer])[] = [
  ["nothing", Buffer.alloc(0)],
  ["a byte", Buffer.from("a")],
  ...[65_535, 65_536, 65_537, area - 1, area, area + 1].flatMap((bytes): [string, Buffer][] => [
    [`${bytes} equal bytes`, Buffer.alloc(bytes, "a")],
    [`${bytes} bytes of noise`, noise(bytes)],
  ]),
  ["digits of high entropy", Buffer.from(noise(200_000).toString("base64"))],
  ["matches from 32,768 bytes before", Buffer.concat([far, far.subarray(0, 3_000)])],
  ["the same a byte farther", Buffer.concat([far, Buffer.from("!"), far.subarray(0, 3_000)])],
  ["a line that comes again in every area", Buffer.concat(Array.from({ length: 33 }, () => far))],
  ["a code that would be too long", fibonacci()],
  ["more sequences than a block holds", lines(40_000)],
];

describe("a file of level 1", () => {
  it.each(cases)("is the same to every reader: %s", async (_, bytes) => {
    const file = await gzipOf([bytes]);
    expect(gunzipSync(file).equals(bytes)).toBe(true);
    const settings = { input: file, maxBuffer: 2 * bytes.length + 1 };
    expect(execFileSync("gzip", ["-dc"], settings).equals(bytes)).toBe(true);
    expect(readOurs(file).bytes.equals(bytes)).toBe(true);
    // Stored in the worst case: 5 bytes for each 65,535, and 5 for each area.
    expect(file.length).toBeLessThan(bytes.length * 1.0002 + 128);
  });

  it.each(Array.from({ length: 24 }, (_, n) => 250 + n))(
    "cuts a match of %i bytes as the format asks",
    async (length) => {
      const bytes = Buffer.concat([noise(600), noise(length), Buffer.from("!?")]);
      const found = readOurs(await gzipOf([Buffer.concat([noise(length), bytes])]));
      expect(found.bytes.subarray(length).equals(bytes)).toBe(true);
    },
  );

  it("has the longest matches, from as far as the format goes, and codes no longer than it allows", async () => {
    const same = readOurs(await gzipOf([Buffer.alloc(10_000, "a")]));
    expect(Math.max(...same.lengths)).toBe(258);
    const again = readOurs(await gzipOf([Buffer.concat([far, far.subarray(0, 3_000)])]));
    expect(again.distances).toContain(32_768);
    expect(readOurs(await gzipOf([fibonacci()])).codeBitsMax).toBe(14);
    expect(new Set(readOurs(await gzipOf([noise(100_000)])).blocks)).toEqual(new Set([0, 1]));
    const few = readOurs(await gzipOf([Buffer.from(`{"type":"account"}\n{"type":"account"}\n`)]));
    expect(few.blocks).toEqual([1, 0, 1]);
  });

  it("refers from each area to the one before", async () => {
    const file = await gzipOf(Array.from({ length: 17 }, () => far));
    expect(file.length).toBeLessThan(1.3 * (await gzipOf([far])).length);
    expect(gunzipSync(file).length).toBe(17 * far.length);
  });

  it("is the same whatever the pieces, cut at every place", async () => {
    const bytes = Buffer.from(
      `{"type":"account","id":"1"}\n{"type":"account","id":"2"}\n`.repeat(3),
    );
    const whole = await gzipOf([bytes]);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)];
      expect((await gzipOf(pieces)).equals(whole)).toBe(true);
      expect(readOurs(await gzipOf(pieces, true)).bytes.equals(bytes)).toBe(true);
    }
  });

  it("gives back whatever it is given, in whatever pieces", async () => {
    const word = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .constantFrom(`{"type":"account",`, `"domain":"`, "aaaaaaa", "\0\0\0\0")
        .map((text) => Buffer.from(text)),
      fc.integer({ min: 1, max: 60_000 }).map((bytes) => noise(bytes)),
      fc.integer({ min: 1, max: 60_000 }).map((bytes) => Buffer.alloc(bytes, "ab")),
    );
    const given = fc.array(fc.array(word, { maxLength: 30 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(given, fc.boolean(), async (words, flushed) => {
        const pieces = words.map((piece) => Buffer.concat(piece));
        const [file, whole] = [await gzipOf(pieces, flushed), Buffer.concat(pieces)];
        expect(gunzipSync(file).equals(whole)).toBe(true);
        expect(readOurs(file).bytes.equals(whole)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it("knows nothing of the file before", async () => {
    const bytes = Buffer.from(
      "0123456789 and on z0123456789 and some more, which no match may begin in",
    );
    const first = await gzipOf([bytes]);
    await gzipOf([Buffer.alloc(area, "z")]);
    const second = await gzipOf([bytes]);
    expect(second.equals(first)).toBe(true);
    expect(readOurs(second).bytes.equals(bytes)).toBe(true);
  });

  it("gives the same bytes whatever was written before", async () => {
    const bytes = far.subarray(0, 20_000);
    const first = await gzipOf([bytes]);
    await gzipOf([lines(20_000).subarray(77)]);
    expect((await gzipOf([bytes])).equals(first)).toBe(true);
  });

  it("keeps what a slow disk has not taken yet", async () => {
    const written: Buffer[] = [];
    const gzip = createGzipWriter(async (bytes) => {
      await new Promise((resolve) => setImmediate(resolve));
      written.push(Buffer.from(bytes));
    }, 1);
    const bytes = lines(40_000);
    await gzip.add(bytes);
    await gzip.finish();
    expect(gunzipSync(Buffer.concat(written)).equals(bytes)).toBe(true);
  });

  it("is one of two that are written at once", async () => {
    const [one, other]: [Buffer[], Buffer[]] = [[], []];
    const a = createGzipWriter(async (bytes) => void one.push(Buffer.from(bytes)), 1);
    const b = createGzipWriter(async (bytes) => void other.push(Buffer.from(bytes)), 1);
    const [tensOfA, tensOfB] = [tensOf("a"), tensOf("b")];
    for (let from = 0; from < tensOfA.length; from += 10_000) {
      await a.add(tensOfA.subarray(from, from + 10_000));
      await b.add(tensOfB.subarray(from, from + 10_000));
    }
    await Promise.all([a.finish(), b.finish()]);
    expect(gunzipSync(Buffer.concat(one)).equals(tensOfA)).toBe(true);
    expect(gunzipSync(Buffer.concat(other)).equals(tensOfB)).toBe(true);
  });

  it("is at most a tenth larger than zlib's, of lines and of text", async () => {
    const accounts = Array.from({ length: 5_000 }, (_, n) => {
      const name = noise(9, `name ${n}`).toString("hex");
      const properties = { name, employees: n * 7, country: ["DE", "US", "FR"][n % 3] };
      return JSON.stringify({
        type: "account",
        account_id: `${n}`,
        account_properties: properties,
      });
    });
    const bytes = Buffer.from(accounts.join("\n"));
    expect((await gzipOf([bytes])).length).toBeLessThan(1.1 * gzipSync(bytes, { level: 1 }).length);
  });
});

it("the other levels are zlib's, whose files are smaller", async () => {
  const bytes = lines(4_000);
  const sizes = await Promise.all(
    [1, 6].map(async (level) => {
      const written: Buffer[] = [];
      const gzip = createGzipWriter(async (piece) => void written.push(Buffer.from(piece)), level);
      await gzip.add(Buffer.from(bytes.toString("base64")));
      await gzip.finish();
      return Buffer.concat(written).length;
    }),
  );
  expect(sizes[1]).toBeLessThan(Number(sizes[0]));
});

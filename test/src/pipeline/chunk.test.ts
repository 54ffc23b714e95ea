import { gunzipSync } from "node:zlib";

import * as fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";

import { dropUnchanged } from "../../../src/pipeline/changed.ts";
import {
  createChunkBudget,
  type ChunkBudget,
  type ChunkLimits,
} from "../../../src/pipeline/chunk-budget.ts";
import {
  ChunkWriter,
  type ChunkSettings,
  type PageStart,
  type WrittenChunk,
  type WrittenPage,
} from "../../../src/pipeline/chunk.ts";
import type { RecordPage } from "../../../src/pipeline/page.ts";
import {
  verdict,
  type JudgedKeys,
  type KeysToStage,
} from "../../../src/state/contract/keys/fingerprints.ts";
import { numbers, streamOf } from "../../support/sequences.ts";
import { linePage, makeReject, textsOf } from "./support.ts";

const wide: ChunkLimits = { records: 1e6, bytes: 1e9, rowsRead: 1e6, ms: 60_000 };
const settings = { stream: "account", bodyBytesMax: 1_000_000, level: 1, from: "start" };

/** The other settings of a fingerprint set; here only the keys count. */
const changed = {
  settings: {
    target: "t",
    sync: "s",
    runId: "r",
    chunk: 1,
    stage: 1,
    send: 1,
    full: false,
    rejectDuplicates: true,
  },
  makeReject,
};

/** Writes pages that are made with the chunk's budget, as staging does. */
async function writeChunk(
  pages: (budget: ChunkBudget) => AsyncIterable<RecordPage>,
  chunkSettings: ChunkSettings,
  io: {
    readonly write: (bytes: Buffer) => Promise<void>;
    readonly eachPage: (written: WrittenPage) => Promise<void>;
  },
): Promise<WrittenChunk> {
  const budget = createChunkBudget(chunkSettings.limits, Date.now);
  const chunk = new ChunkWriter(chunkSettings, budget, io.write);
  for await (const written of chunk.write(pages(budget))) await io.eachPage(written);
  return await chunk.finish();
}

type Written = {
  readonly chunk: WrittenChunk;
  readonly starts: readonly PageStart[];
  readonly file: Buffer;
  /** Keys that the store was asked for. */
  readonly judged: readonly string[];
};

/** Writes one chunk of these pages, judged by a store that answers late and considers some keys unchanged. */
async function write(
  pages: readonly RecordPage[],
  limits: Partial<ChunkLimits>,
  unchanged: ReadonlySet<string> = new Set(),
): Promise<Written> {
  const judged: string[] = [];
  const stageKeys = async ({ keys }: KeysToStage): Promise<JudgedKeys> => {
    judged.push(...textsOf(keys));
    await new Promise((resolve) => setImmediate(resolve));
    const verdicts = Uint8Array.from(textsOf(keys), (key) =>
      unchanged.has(key) ? verdict.unchanged : verdict.new,
    );
    return { verdicts, leaving: new Int32Array() };
  };
  const blocks: Buffer[] = [];
  const starts: PageStart[] = [];
  const chunk = await writeChunk(
    (budget) => dropUnchanged(streamOf(pages), { stageKeys }, { ...changed, budget }),
    { ...settings, limits: { ...wide, ...limits } },
    {
      write: async (bytes) => void blocks.push(Buffer.from(bytes)),
      eachPage: async ({ start }) => void starts.push(start),
    },
  );
  return { chunk, starts, file: Buffer.concat(blocks), judged };
}

/** Pages of these numbers of records, each with a key of its own. */
function pagesOf(
  sizes: readonly number[],
  lineOf = (key: string): string => `{"k":"${key}"}`,
): RecordPage[] {
  return sizes.map((size, page) =>
    linePage(
      Array.from({ length: size }, (_, row) => {
        const key = `p${page}r${row}`;
        return [key, lineOf(key)] as const;
      }),
      `after page ${page}`,
    ),
  );
}

/** How many of the first pages it takes to reach a limit; all if they do not reach it. */
function pagesUntil(sizes: readonly number[], limit: number): number {
  let sum = 0;
  const index = sizes.findIndex((size) => (sum += size) >= limit);
  return index === -1 ? sizes.length : index + 1;
}

const sizes = fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 25 });

afterEach(() => void vi.useRealTimers());

describe("a chunk", () => {
  it("writes lines, counts, positions and where pages began", async () => {
    const { chunk, starts, file } = await write(pagesOf([2, 0, 1]), {});
    expect(gunzipSync(file).toString()).toBe('{"k":"p0r0"}\n{"k":"p0r1"}\n{"k":"p2r0"}\n');
    expect(chunk).toMatchObject({
      counts: { read: 3, records: 3, unchanged: 0, filtered: 0, rejected: 0 },
      to: "after page 2",
      done: true,
      bodies: [{ from: 0, to: 3 }],
    });
    expect(starts).toMatchObject([
      { record: 0, from: "start" },
      { record: 2, from: "after page 0" },
      { record: 2, from: "after page 1" },
    ]);
  });

  it("writes no line that was dropped, wherever it stood between others", async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.infiniteStream(fc.boolean()), async (rows, coins) => {
        const keys = rows.flatMap((size, page) => numbers(size).map((row) => `p${page}r${row}`));
        const known = new Set(keys.filter(() => coins.next().value === true));
        const { file } = await write(pagesOf(rows), {}, known);
        const lines = keys.filter((key) => !known.has(key)).map((key) => `{"k":"${key}"}\n`);
        expect(gunzipSync(file).toString()).toBe(lines.join(""));
      }),
      { numRuns: 100 },
    );
  });

  it("cuts bodies by the bytes of lines, not by their characters", async () => {
    const { chunk } = await write(
      pagesOf([4], () => JSON.stringify("€".repeat(100_000))),
      {},
    );
    expect(chunk.bodies?.map(({ from, to }) => [from, to])).toEqual([
      [0, 3],
      [3, 4],
    ]);
  });

  it("takes the memory of a page back, once, when nobody reads it any more", async () => {
    const pages = pagesOf([3, 0, 2, 1]);
    const released: number[] = [];
    for (const [index, page] of pages.entries()) {
      page.release = () => {
        released.push(index);
        page.candidates.jsonl.fill("#");
      };
    }
    let lines = "";
    const noted: number[] = [];
    const written = pages.values();
    const blocks: Buffer[] = [];
    await writeChunk(
      () => streamOf(pages),
      { ...settings, limits: wide },
      {
        write: async (bytes) => void blocks.push(Buffer.from(bytes)),
        eachPage: async () => {
          lines += written.next().value?.candidates.jsonl.toString() ?? "";
          noted.push(released.length);
          await Promise.resolve();
        },
      },
    );
    expect(released).toEqual([0, 1, 2, 3]);
    // The callback sees a page before its memory is released.
    expect(noted).toEqual([0, 1, 2, 3]);
    expect(lines).not.toContain("#");
    expect(gunzipSync(Buffer.concat(blocks)).toString()).toBe(lines);
  });

  it("leaves an empty chunk where it began when there is nothing", async () => {
    const { chunk, file } = await write([], {});
    expect(chunk).toMatchObject({ to: "start", done: true, bodies: [], counts: { read: 0 } });
    expect(gunzipSync(file)).toHaveLength(0);
  });

  it.each(["records", "rowsRead"] as const)(
    "ends at the first page that reaches its %s, and judges no key after it",
    async (limit) => {
      await fc.assert(
        fc.asyncProperty(sizes, fc.integer({ min: 1, max: 40 }), async (rows, max) => {
          const pages = pagesOf(rows);
          const count = pagesUntil(rows, max);
          const keys = pages
            .slice(0, count)
            .flatMap((page) => page.candidates.map(({ key }) => key));
          const { chunk, judged } = await write(pages, { [limit]: max });
          expect(judged).toEqual(keys);
          expect(chunk.to).toBe(`after page ${count - 1}`);
          expect(chunk.counts.records).toBe(keys.length);
          const sum = rows.reduce((a, b) => a + b, 0);
          expect(chunk.done).toBe(sum < max);
        }),
        { numRuns: 100 },
      );
    },
  );

  it("counts only what is written towards its records, and judges no key after them", async () => {
    await fc.assert(
      fc.asyncProperty(
        sizes,
        fc.integer({ min: 1, max: 20 }),
        fc.infiniteStream(fc.boolean()),
        async (rows, max, coins) => {
          const pages = pagesOf(rows);
          const all = pages.map((page) => page.candidates.map(({ key }) => key));
          const known = new Set(all.flat().filter(() => coins.next().value === true));
          const fresh = all.map((keys) => keys.filter((key) => !known.has(key)).length);
          const count = pagesUntil(fresh, max);
          const { chunk, judged } = await write(pages, { records: max }, known);
          expect(judged).toEqual(all.slice(0, count).flat());
          expect(chunk.counts.records).toBe(fresh.slice(0, count).reduce((a, b) => a + b, 0));
          expect(chunk.counts.unchanged).toBe(judged.filter((key) => known.has(key)).length);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("ends at the first page with which the compressed file has its bytes", async () => {
    // Text that takes two bytes a character compressed, three in UTF-8 and one in a string.
    let seed = 1;
    const noise = (): string => {
      const codes = Array.from({ length: 400 }, () => {
        seed = (seed * 48_271) % 2_147_483_647;
        return 0x4e00 + (seed % 20_000);
      });
      return JSON.stringify(String.fromCharCode(...codes));
    };
    const pages = pagesOf(
      Array.from({ length: 12 }, () => 3),
      noise,
    );
    const whole = await write(pages, {});
    for (const part of [0.1, 0.5, 0.9]) {
      const bytes = Math.floor(whole.file.length * part);
      const { chunk, file, judged } = await write(pages, { bytes });
      expect(file.length).toBeGreaterThanOrEqual(bytes);
      const count = judged.length / 3;
      expect(chunk.to).toBe(`after page ${count - 1}`);
      const less = await write(pages.slice(0, count - 1), {});
      expect(less.file.length).toBeLessThan(bytes);
    }
  });

  it("ends by time with the pages that were judged, and judges no more", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    const pages = pagesOf(Array.from({ length: 20 }, () => 2));
    let read = 0;
    const source = function* (): Generator<RecordPage> {
      for (const page of pages) {
        vi.setSystemTime(Date.now() + 100);
        read += 1;
        yield page;
      }
    };
    const judged: string[] = [];
    const stageKeys = async ({ keys }: KeysToStage): Promise<JudgedKeys> => {
      judged.push(...textsOf(keys));
      return { verdicts: new Uint8Array(keys.ends.length), leaving: new Int32Array() };
    };
    const chunk = await writeChunk(
      (budget) => dropUnchanged(streamOf(source()), { stageKeys }, { ...changed, budget }),
      { ...settings, limits: { ...wide, ms: 1_000 } },
      { write: async () => undefined, eachPage: async () => undefined },
    );
    expect(read).toBe(10);
    expect(chunk).toMatchObject({ done: false, to: "after page 9", counts: { records: 20 } });
    expect(judged).toHaveLength(20);
  });

  it("stops with what a page's check throws, and reads no further", async () => {
    const stop = new Error("too many rejects");
    let pages = 0;
    const source = function* (): Generator<RecordPage> {
      for (const page of pagesOf([1, 1, 1])) {
        pages += 1;
        yield page;
      }
    };
    const failing = writeChunk(
      () => streamOf(source()),
      { ...settings, limits: wide },
      {
        write: async () => undefined,
        eachPage: async () => await Promise.reject(stop),
      },
    );
    await expect(failing).rejects.toBe(stop);
    expect(pages).toBe(1);
  });
});

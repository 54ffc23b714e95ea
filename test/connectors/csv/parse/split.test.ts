import { appendFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Span } from "../../../../connectors/contract/connector.ts";
import type { CsvConfig } from "../../../../connectors/csv/config.ts";
import { splitCsv } from "../../../../connectors/csv/parse/split.ts";
import { csvPosition, type CsvPosition } from "../../../../connectors/csv/position.ts";
import { ConfigError, SourceChangedError } from "../../../../src/errors.ts";
import { rowBytesMax } from "../../../../src/limits.ts";
import { isProving, someOf, trials } from "../../../support/trials.ts";
import { configOf, keptLog, readAll, withFolder } from "../support.ts";

async function split(
  config: CsvConfig,
  parts: number,
  span: Span<CsvPosition> = {},
): Promise<readonly Span<CsvPosition>[]> {
  const { signal } = new AbortController();
  const spans = await splitCsv({ config, signal, log: keptLog(), parts, ...span });
  // As they come back from the state store.
  return spans.map(({ from, to }) => ({ from: saved(from), to: saved(to) }));
}

function saved(position: CsvPosition | undefined): CsvPosition | undefined {
  return position === undefined
    ? undefined
    : csvPosition.parse(JSON.parse(JSON.stringify(position)));
}

/** The items of each part; the parts share their edges, and stay within the span. */
async function partsOf(
  config: CsvConfig,
  parts: number,
  span: Span<CsvPosition> = {},
): Promise<readonly (readonly string[])[]> {
  const spans = await split(config, parts, span);
  expect(spans.length).toBeLessThanOrEqual(parts);
  expect(spans[0]?.from).toEqual(saved(span.from));
  expect(spans.at(-1)?.to).toEqual(saved(span.to));
  expect(spans.slice(1).map((part) => part.from)).toEqual(spans.slice(0, -1).map(({ to }) => to));
  const items: (readonly string[])[] = [];
  // Pages of one keep rows and rejects in the order of the file.
  for (const part of spans) items.push((await readAll(config, { ...part, pageRowsMax: 1 })).items);
  return items;
}

const stores = {
  plain: (text: string): Buffer => Buffer.from(text),
  "utf-16": (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le"),
  gzip: (text: string): Buffer => gzipSync(text),
};

const field = fc.constantFrom("", "a", "é東", '"x,y"', '"2\nlines"', '"cr\r\n\r\nlf"', '5"');
const fileText = fc
  .array(
    fc.tuple(
      fc.array(field, { minLength: 2, maxLength: 3 }),
      fc.constantFrom("\n", "\r\n", "\r", "\n\n", "\r\n\r\n"),
    ),
    { maxLength: 12 },
  )
  .map(
    (rows) => `id,name\n${rows.map(([fields, lineEnd]) => fields.join(",") + lineEnd).join("")}`,
  );
const store = fc.constantFrom("plain", "utf-16", "gzip");

/** This many rows of equal size, each over two lines. */
function rowsOf(count: number, first = 0): string {
  const rows = Array.from({ length: count }, (_, row) => `${100_000 + first + row},"two\nlines"\n`);
  return `id,name\n${rows.join("")}`;
}

describe("splitCsv", () => {
  it("cuts small files only forwards, where more parts are asked for than there are rows", async () => {
    const files = { "0.csv": "id,name\n,\n,\n", "1.csv": "id,name\n,\n" };
    await withFolder(files, async (folder) => {
      const config = configOf(folder, { path: "*.csv" });
      const { items } = await readAll(config, { pageRowsMax: 1 });
      for (const parts of someOf([12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], 4)) {
        expect((await partsOf(config, parts)).flat()).toEqual(items);
      }
    });
  });

  it("loses and repeats no row of files of any kind, whole or within a span", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fileText, store), { minLength: 1, maxLength: 3 }),
        fc.nat(),
        fc.nat(),
        async (files, one, other) => {
          const contents = files.map(
            ([text, how], at) => [`${at}.csv`, stores[how](text)] as const,
          );
          await withFolder(Object.fromEntries(contents), async (folder) => {
            const config = configOf(folder, { path: "*.csv" });
            const { items, positions, reach } = await readAll(config, { pageRowsMax: 1 });
            const [first = 0, last = 0] = [one, other]
              .map((number) => (positions.length === 0 ? 0 : number % positions.length))
              .toSorted((a, b) => a - b);
            const span = { from: positions[first], to: positions[last] };
            const within = items.slice(reach[first], reach[last]);
            for (let parts = 1; parts <= 7; parts += 1) {
              const whole = await partsOf(config, parts);
              expect(whole.flat()).toEqual(items);
              // A part can be empty only if the files have no row at all.
              expect(whole.slice(1).filter((part) => part.length === 0)).toEqual(
                items.length === 0 ? whole.slice(1) : [],
              );
              expect((await partsOf(config, parts, span)).flat()).toEqual(within);
            }
          });
        },
      ),
      { numRuns: trials(1) },
    );
  });

  it.each([1, 2, 3, 4, 5, 6, 7])("cuts a file into %i parts of equal size", async (parts) => {
    await withFolder({ "a.csv": rowsOf(210) }, async (folder) => {
      const sizes = (await partsOf(configOf(folder), parts)).map((items) => items.length);
      expect(sizes).toHaveLength(parts);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(2);
    });
  });

  it("cuts a large file at the very byte and line of a row", async () => {
    const count = isProving ? 200_000 : 40_000;
    const bytes = Buffer.from(rowsOf(count));
    await withFolder({ "a.csv": bytes }, async (folder) => {
      const spans = await split(configOf(folder), 4);
      expect(spans).toHaveLength(4);
      for (const { to } of spans.slice(0, -1)) {
        const { offset = -1, line = -1 } = to !== undefined && "offset" in to ? to : {};
        const row = (offset - 8) / 19;
        expect(bytes.subarray(offset, offset + 6).toString()).toBe(String(100_000 + row));
        expect(line).toBe(2 + 2 * row);
        const next = await readAll(configOf(folder), { from: to, limit: 1 });
        expect(next.items[0]).toMatch(`a.csv:${line} {"id":"${100_000 + row}"`);
      }
    });
  });

  it("shares several files out by their bytes", async () => {
    const files = { "a.csv": rowsOf(10), "b.csv": rowsOf(200), "c.csv": "id,name\n" };
    await withFolder({ ...files, "d.csv": rowsOf(90) }, async (folder) => {
      const parts = await partsOf(configOf(folder, { path: "*.csv" }), 3);
      for (const { length } of parts) expect(Math.abs(length - 100)).toBeLessThanOrEqual(2);
      expect(parts[2]?.at(-1)).toMatch(/^d\.csv:/);
    });
  });

  it("cuts compressed files only between each other", async () => {
    // The same rows in each, so that the sizes as stored are equal.
    const files = Object.fromEntries(
      ["a", "b", "c", "d"].map((name) => [`${name}.csv`, gzipSync(rowsOf(100))]),
    );
    await withFolder(files, async (folder) => {
      const config = configOf(folder, { path: "*.csv" });
      const sizes = async (parts: number): Promise<readonly number[]> =>
        (await partsOf(config, parts)).map((items) => items.length);
      expect(await sizes(2)).toEqual([200, 200]);
      expect(await sizes(4)).toEqual([100, 100, 100, 100]);
      expect(await sizes(7)).toEqual([100, 100, 100, 100]);
      expect(await partsOf(configOf(folder), 7)).toHaveLength(1);
    });
  });

  it("continues to the next file where no row begins after the edge", async () => {
    const long = `1,"${"x".repeat(1_000)}"\n`;
    await withFolder(
      { "a.csv": `id,name\n0,a\n${long}`, "b.csv": "id,name\n2,b\n3,c\n" },
      async (folder) => {
        const parts = await partsOf(configOf(folder, { path: "*.csv" }), 2);
        expect(parts.map((items) => items.length)).toEqual([2, 2]);
      },
    );
  });

  it("makes no part of the header line alone", async () => {
    const name = "n".repeat(1_000);
    await withFolder({ "a.csv": `id,${name}\n1,a\n2,b\n` }, async (folder) => {
      const parts = await partsOf(configOf(folder), 4);
      expect(parts.map((items) => items.length)).toEqual([1, 1]);
    });
  });

  it("leaves an empty file, or one row, whole", async () => {
    const files = { "a.csv": "id\n", "b.csv": "", "c.csv": "id\n1\n", "d.csv": gzipSync("id\n") };
    await withFolder(files, async (folder) => {
      const whole = [{ from: undefined, to: undefined }];
      expect(await split(configOf(folder), 3)).toEqual(whole);
      expect(await split(configOf(folder, { path: "b.csv", columns: ["id"] }), 3)).toEqual(whole);
      expect(await split(configOf(folder, { path: "b.csv" }), 3)).toEqual(whole);
      expect(await split(configOf(folder, { path: "c.csv" }), 3)).toEqual(whole);
      expect(await split(configOf(folder, { path: "d.csv" }), 3)).toEqual(whole);
    });
  });

  it("leaves a source that only grows whole", async () => {
    await withFolder({ "a.csv": rowsOf(10) }, async (folder) => {
      const config = configOf(folder, { append_only: true });
      const from = (await readAll(config, { pageRowsMax: 3 })).positions[0];
      expect(await split(config, 4, { from })).toEqual([{ from, to: undefined }]);
    });
  });

  it("keeps rows that are too long in one part", async () => {
    const long = `x,"${"line\n".repeat(rowBytesMax / 5)}"\n`;
    await withFolder(
      { "a.csv": `id,name\na,A\n${long}b,B\n${long}${long}c,C\n` },
      async (folder) => {
        const whole = await readAll(configOf(folder));
        for (const parts of someOf([3, 2, 5], 3)) {
          const items = await partsOf(configOf(folder), parts);
          expect(items.length).toBeGreaterThan(1);
          expect(items.flat().toSorted()).toEqual(whole.items.toSorted());
        }
      },
    );
  });

  it("fails at a quote that is never closed, as the read would", async () => {
    await withFolder({ "a.csv": `id,name\n1,a\n2,"b\n${"3,c\n".repeat(20)}` }, async (folder) => {
      await expect(split(configOf(folder), 2)).rejects.toThrow("a.csv:3: a quote opened");
      await expect(split(configOf(folder), 2)).rejects.toThrow(ConfigError);
    });
  });

  it.each([
    ["grew", async (file: string) => await appendFile(file, "e,E\n")],
    ["was touched", async (file: string) => await utimes(file, 1, 1)],
  ])(
    "refuses a span of a file that %s since, and so does a read of its parts",
    async (_, change) => {
      const files = { "a.csv": rowsOf(10), "b.csv": rowsOf(10), "c.csv": rowsOf(10) };
      await withFolder(files, async (folder) => {
        const config = configOf(folder, { path: "*.csv" });
        const spans = await split(config, 6);
        const { positions } = await readAll(config, { pageRowsMax: 4 });
        const [from, to] = [positions[3], positions[7]];
        expect(await split(config, 2, { from, to })).toHaveLength(2);
        await change(join(folder, "b.csv"));
        for (const span of [{ from }, { to: positions[4] }, { to }]) {
          await expect(split(config, 2, span)).rejects.toThrow(SourceChangedError);
        }
        const inside = spans.filter(
          ({ from: edge }) => edge !== undefined && "file" in edge && edge.file === "b.csv",
        );
        expect(inside).not.toEqual([]);
        for (const span of inside) {
          await expect(readAll(config, span)).rejects.toThrow(SourceChangedError);
        }
      });
    },
  );

  it("refuses a span of other bytes than those in the file", async () => {
    await withFolder({ "a.csv": rowsOf(10) }, async (folder) => {
      const [from] = (await readAll(configOf(folder), { pageRowsMax: 4 })).positions;
      const other = { ...from, tail: "0".repeat(64) };
      await expect(split(configOf(folder), 2, { from: csvPosition.parse(other) })).rejects.toThrow(
        "a.csv holds something else before byte 84 than was read there",
      );
    });
  });

  it("stops when it is told to", async () => {
    await withFolder({ "a.csv": rowsOf(10) }, async (folder) => {
      const signal = AbortSignal.abort(new Error("stopped"));
      const ask = { config: configOf(folder), signal, log: keptLog(), parts: 2 };
      await expect(splitCsv(ask)).rejects.toThrow("stopped");
    });
  });
});

import { appendFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { beforeCsv } from "../../../connectors/csv/before.ts";
import type { CsvConfig } from "../../../connectors/csv/config.ts";
import { csvPosition, type CsvPosition } from "../../../connectors/csv/position.ts";
import { ConfigError, SourceChangedError } from "../../../src/errors.ts";
import { rowBytesMax } from "../../../src/limits.ts";
import { trials } from "../../support/trials.ts";
import { configOf, keptLog, readAll, withFolder } from "./support.ts";

async function before(config: CsvConfig, place: string): Promise<CsvPosition> {
  const { signal } = new AbortController();
  return csvPosition.parse(await beforeCsv({ config, signal, log: keptLog(), place }));
}

function placesOf(items: readonly string[]): readonly string[] {
  return items.map((item) => item.split(" ", 1)[0] ?? "");
}

function linesOf(places: readonly string[]): readonly number[] {
  return places.map((place) => Number(place.split(":")[1]));
}

/** The places of the rows before a place, and from it on. */
async function around(
  config: CsvConfig,
  place: string,
): Promise<readonly [before: readonly string[], from: readonly string[]]> {
  const position = await before(config, place);
  const [first, rest] = [
    await readAll(config, { to: position }),
    await readAll(config, { from: position }),
  ];
  const whole = await readAll(config);
  // Within a page, rows come before rejects.
  expect([...first.items, ...rest.items].toSorted()).toEqual(whole.items.toSorted());
  return [placesOf(first.items), placesOf(rest.items)];
}

const stores = {
  plain: (text: string): Buffer => Buffer.from(text),
  "utf-16": (text: string): Buffer => Buffer.from(`\ufeff${text}`, "utf16le"),
  gzip: (text: string): Buffer => gzipSync(text),
};

// The row of line 3 continues to line 5, and lines 7 and 8 are blank.
const text = 'id,name\r\na,Anne\r\nb,"B\r\n\r\no"\r\nc,Cy\r\n\r\n\r\nd,"Di"\r\n';
const lastRow = text.indexOf("d,", 10);

describe("beforeCsv", () => {
  it.each([
    ["line 1", []],
    ["line 2", []],
    ["line 3", ["a.csv:2"]],
    ["line 4", ["a.csv:2", "a.csv:3"]],
    ["line 5", ["a.csv:2", "a.csv:3"]],
    ["  Line   6 ", ["a.csv:2", "a.csv:3"]],
    ["line 7", ["a.csv:2", "a.csv:3", "a.csv:6"]],
    ["line 8", ["a.csv:2", "a.csv:3", "a.csv:6"]],
    ["a.csv:9", ["a.csv:2", "a.csv:3", "a.csv:6"]],
    ["line 10", ["a.csv:2", "a.csv:3", "a.csv:6", "a.csv:9"]],
    ["byte 0", []],
    ["byte 9", []],
    ["byte 10", ["a.csv:2"]],
    ["byte 17", ["a.csv:2"]],
    ["byte 18", ["a.csv:2", "a.csv:3"]],
    // The first byte of the row after the blank lines, and the one after that.
    [`byte ${lastRow}`, ["a.csv:2", "a.csv:3", "a.csv:6"]],
    [`byte ${lastRow - 1}`, ["a.csv:2", "a.csv:3", "a.csv:6"]],
    [`byte ${lastRow + 1}`, ["a.csv:2", "a.csv:3", "a.csv:6", "a.csv:9"]],
    [`byte ${text.length}`, ["a.csv:2", "a.csv:3", "a.csv:6", "a.csv:9"]],
  ])("of %s covers the rows that begin before it", async (place, expected) => {
    for (const store of ["plain", "gzip"] as const) {
      await withFolder({ "a.csv": stores[store](text) }, async (folder) => {
        expect((await around(configOf(folder), place))[0]).toEqual(expected);
      });
    }
  });

  const field = fc.constantFrom("", "a", "é東", '"x,y"', '"2\nlines"', '"cr\r\nlf"', '5"');
  const fileText = fc
    .array(
      fc.tuple(
        fc.array(field, { minLength: 2, maxLength: 3 }),
        fc.constantFrom("\n", "\r\n", "\r", "\n\n", "\r\n\r\n"),
      ),
      { maxLength: 6 },
    )
    .map(
      (rows) => `id,name\n${rows.map(([fields, lineEnd]) => fields.join(",") + lineEnd).join("")}`,
    );

  it.each(["plain", "utf-16", "gzip"] as const)(
    "parts a %s file at each of its lines",
    async (store) => {
      await fc.assert(
        fc.asyncProperty(fileText, async (content) => {
          await withFolder({ "a.csv": stores[store](content) }, async (folder) => {
            const lines = content.split(/\r\n|\r|\n/).length;
            for (let line = 1; line <= lines; line += 1) {
              const [first, rest] = await around(configOf(folder), `line ${line}`);
              expect(linesOf(first).filter((one) => one >= line)).toEqual([]);
              expect(linesOf(rest).filter((one) => one < line)).toEqual([]);
            }
          });
        }),
        { numRuns: trials(1) },
      );
    },
  );

  it("names a line of one file of several, and minds those before it", async () => {
    const files = { "a.csv": text, "b.csv": "id,name\n", "c.csv": gzipSync(text) };
    await withFolder(files, async (folder) => {
      const config = configOf(folder, { path: "*.csv" });
      const whole = await readAll(config, { pageRowsMax: 1 });
      const [first, rest] = await around(config, "c.csv:3");
      expect(first.at(-1)).toBe("c.csv:2");
      expect(rest).toEqual(["c.csv:3", "c.csv:6", "c.csv:9"]);
      expect(await before(config, "c.csv:3")).toEqual(csvPosition.parse(whole.positions[4]));
      expect((await around(config, "c.csv:1"))[1]).toHaveLength(4);
      expect((await around(config, "b.csv:2"))[0]).toHaveLength(4);
    });
  });

  it("comes after the last line of a file, whether that has an end or not", async () => {
    for (const content of ["id\n1\n2\n", "id\n1\n2"]) {
      await withFolder({ "a.csv": content }, async (folder) => {
        expect(await around(configOf(folder), "line 4")).toEqual([["a.csv:2", "a.csv:3"], []]);
        await expect(before(configOf(folder), "line 5")).rejects.toThrow("a.csv has 3 lines");
      });
    }
  });

  it("finds nothing but the beginning in files without rows", async () => {
    await withFolder({ "a.csv": "id\n", "b.csv": "" }, async (folder) => {
      expect(await around(configOf(folder), "line 1")).toEqual([[], []]);
      const columns = { path: "b.csv", columns: ["id"] };
      expect(await around(configOf(folder, columns), "byte 0")).toEqual([[], []]);
      await expect(before(configOf(folder, columns), "line 2")).rejects.toThrow(ConfigError);
      await expect(before(configOf(folder, { path: "b.csv" }), "line 1")).rejects.toThrow(
        "has no header line: it is empty",
      );
    });
  });

  it("comes before and behind rows that are too long to be read", async () => {
    const long = `x,"${"line\n".repeat(rowBytesMax / 5)}"\n`;
    const lines = 1 + rowBytesMax / 5;
    await withFolder({ "a.csv": `id,name\na,A\n${long}${long}b,B\n` }, async (folder) => {
      const places = ["a.csv:2", "a.csv:3", `a.csv:${3 + lines}`, `a.csv:${3 + 2 * lines}`];
      for (const [index, place] of places.entries()) {
        const config = configOf(folder);
        const position = await before(config, place);
        const rest = await readAll(config, { from: position });
        const first = await readAll(config, { to: position });
        // Within a page, rows come before rejects.
        expect(placesOf(rest.items).toSorted()).toEqual(places.slice(index).toSorted());
        expect(placesOf(first.items).toSorted()).toEqual(places.slice(0, index).toSorted());
      }
    });
  });

  it.each([
    ["its fields", ",y\nb,B\n"],
    ["the row after it", "\nb\n"],
  ])("does not guess where a long row ends, by %s", async (_, rest) => {
    const long = `x,"${"li,\n".repeat(rowBytesMax / 4)}"`;
    await withFolder({ "a.csv": `id,name\n${long}${rest}` }, async (folder) => {
      const place = `line ${3 + rowBytesMax / 4}`;
      await expect(before(configOf(folder), place)).rejects.toThrow("a.csv:2: a quote on this");
    });
  });

  const named = 'Give "line 48211", "byte 1048576" or "a.csv:48211".';
  const atEnd = "Give a place within the file, or leave it away to read to the end.";

  it.each([
    ["line 11", "line 11 is beyond the end: a.csv has 9 lines", atEnd],
    [`byte ${text.length + 1}`, `byte 48 is beyond the end: a.csv has 47 bytes`, atEnd],
    ["line 0", '"line 0": lines are counted from 1', named],
    ["line -3", '"line -3" is not a place in a CSV file', named],
    ["line 1.5", '"line 1.5" is not a place in a CSV file', named],
    ["48211", '"48211" is not a place in a CSV file', named],
    ["", '"" is not a place in a CSV file', named],
    ["b.csv:3", '"b.csv:3" is not in any file that this source reads', named],
    [`line ${"9".repeat(30)}`, "is beyond the end: a.csv has 9 lines", atEnd],
  ])("refuses %j with a hint", async (place, message, hint) => {
    await withFolder({ "a.csv": text }, async (folder) => {
      const refused = before(configOf(folder), place);
      await expect(refused).rejects.toThrow(ConfigError);
      await expect(refused).rejects.toThrow(message);
      await expect(refused).rejects.toHaveProperty("hint", hint);
    });
  });

  it("says of a compressed file how many bytes it unpacks to", async () => {
    await withFolder({ "a.csv": gzipSync(text) }, async (folder) => {
      await expect(before(configOf(folder), "byte 99")).rejects.toThrow(
        "byte 99 is beyond the end: a.csv has 47 unpacked bytes",
      );
    });
  });

  it("asks for the file where there are several", async () => {
    const files = Object.fromEntries(
      ["a", "b", "c", "d", "e", "f"].map((at) => [`${at}.csv`, text]),
    );
    await withFolder(files, async (folder) => {
      await expect(before(configOf(folder, { path: "*.csv" }), "line 3")).rejects.toMatchObject({
        message: '"line 3" does not say which of 6 files',
        hint:
          'Give a file and a line of it: "a.csv:48211"; the files are a.csv, b.csv, c.csv, d.csv, ' +
          "e.csv and 1 more.",
      });
    });
  });

  it("refuses a source that only grows", async () => {
    await withFolder({ "a.csv": text }, async (folder) => {
      const refused = before(configOf(folder, { append_only: true }), "line 3");
      await expect(refused).rejects.toThrow("a place means nothing to an append-only source");
    });
  });

  it("stops at what a read stops at, as far as the place", async () => {
    await withFolder({ "a.csv": 'id,name\n1,a\n2,b\n3,"open\n' }, async (folder) => {
      const config = configOf(folder);
      expect(await before(config, "line 3")).toMatchObject({ line: 3 });
      await expect(before(config, "line 4")).rejects.toThrow(
        "a.csv:4: a quote opened on this line",
      );
    });
  });

  it.each([
    ["grew", async (file: string) => await appendFile(file, "e,E\n")],
    ["was touched", async (file: string) => await utimes(file, 1, 1)],
  ])("makes a position that a file which %s refuses", async (_, change) => {
    await withFolder({ "a.csv": text }, async (folder) => {
      const from = await before(configOf(folder), "line 6");
      await change(join(folder, "a.csv"));
      await expect(readAll(configOf(folder), { from })).rejects.toThrow(SourceChangedError);
    });
  });

  it("stops when it is told to", async () => {
    await withFolder({ "a.csv": text }, async (folder) => {
      const signal = AbortSignal.abort(new Error("stopped"));
      const ask = { config: configOf(folder), signal, log: keptLog(), place: "line 3" };
      await expect(beforeCsv(ask)).rejects.toThrow("stopped");
    });
  });
});

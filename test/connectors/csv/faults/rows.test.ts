import { open } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { longRowBytesMax } from "../../../../connectors/csv/limits.ts";
import { rejectRowCharsMax, rowBytesMax } from "../../../../src/limits.ts";
import { someOf } from "../../../support/trials.ts";
import { configOf, pagesOf, readAll, readContent, withFolder } from "../support.ts";

const header = "id,name\n";
const one = 'a.csv:2 {"id":"1","name":"a"}';
const tenMegabytes = "x".repeat(10_000_000);

function rowAt(line: number, id: string, name = "a"): string {
  return `a.csv:${line} ${JSON.stringify({ id, name })}`;
}

describe("a row that is too long (T22)", () => {
  it.each([
    ["plain", `2,${tenMegabytes}`, 1],
    ["quoted", `2,"${tenMegabytes}"`, 1],
    ["quoted, with doubled quotes", `2,"${'""'.repeat(5_000_000)}"`, 1],
    ["quoted, over several lines", `2,"${"12\r34\r\n56\n".repeat(1_000_000)}"`, 3_000_001],
    ["first in its row", `"${tenMegabytes}",2`, 1],
  ])(
    "is a reject for a field of 10 MB, %s, when the next row proves its end",
    async (_, row, lines) => {
      for (const lineEnd of someOf(["\n", "\r\n", "\r"], 3)) {
        expect(await readContent(`${header}1,a\n${row}${lineEnd}3,a\n`)).toEqual({
          items: [one, rowAt(3 + lines, "3"), "a.csv:3 row_too_long"],
        });
      }
    },
  );

  it("is a reject in UTF-16 and at the end of the file, too", async () => {
    const text = `\ufeff${header}1,a\n2,"${tenMegabytes}"`;
    for (const content of [Buffer.from(text), Buffer.from(text, "utf16le")]) {
      expect(await readContent(content)).toEqual({ items: [one, "a.csv:3 row_too_long"] });
    }
  });

  it("keeps the start of its text", async () => {
    await withFolder({ "a.csv": `${header}2,"${tenMegabytes}"\n` }, async (folder) => {
      const [page] = await pagesOf(configOf(folder));
      expect(page?.rejects).toEqual([
        {
          where: "a.csv:2",
          code: "row_too_long",
          reason: `the row is longer than ${rowBytesMax} bytes`,
          row: `2,"${tenMegabytes}`.slice(0, rejectRowCharsMax + 1),
          rowsBefore: 0,
        },
      ]);
    });
  });

  it("is resumed before and behind, never inside", async () => {
    const long = `2,"${"y".repeat(rowBytesMax)}\n"\n`;
    await withFolder({ "a.csv": `${header}1,a\n${long}${long}3,a\n` }, async (folder) => {
      const config = configOf(folder);
      const whole = await readAll(config);
      expect(whole.items).toEqual([
        one,
        "a.csv:3 row_too_long",
        rowAt(7, "3"),
        "a.csv:5 row_too_long",
      ]);
      expect(whole.positions.map((position) => "line" in position && position.line)).toEqual([
        3, 5, 8,
      ]);
      for (const [index, from] of whole.positions.entries()) {
        const rest = whole.items.slice(whole.reach[index]);
        expect((await readAll(config, { from })).items).toEqual(rest);
        const before = whole.items.slice(0, whole.reach[index]);
        expect((await readAll(config, { to: from })).items).toEqual(before);
      }
    });
  });

  it("is on the page of the first row behind it", async () => {
    const long = `2,"${"y".repeat(rowBytesMax)}"\n`;
    const content = `${header}${long}${"3,a\n".repeat(5)}`;
    await withFolder({ "a.csv": content }, async (folder) => {
      const { items, reach } = await readAll(configOf(folder), { pageRowsMax: 2 });
      expect(reach).toEqual([2, 4, 6]);
      expect(items.slice(0, 2)).toEqual([rowAt(3, "3"), "a.csv:2 row_too_long"]);
    });
  });

  it("waits in an append-only file until a row after it has come", async () => {
    const long = `2,"${"y".repeat(rowBytesMax)}"\n`;
    await withFolder({ "a.csv": `${header}1,a\n${long}` }, async (folder) => {
      const config = configOf(folder, { append_only: true });
      const first = await readAll(config);
      expect(first.items).toEqual([one]);
      const file = await open(join(folder, "a.csv"), "a");
      await file.write("3,a\n");
      await file.close();
      expect((await readAll(config, { from: first.positions[0] })).items).toEqual([
        rowAt(4, "3"),
        "a.csv:3 row_too_long",
      ]);
    });
  });

  const guess =
    "ConfigError: a.csv:3: a quote on this line is misplaced or never closed, so where its row ends would be a guess";
  it.each([
    ["the next row has other fields", `2,"${tenMegabytes}"\n3\n`, guess],
    ["the next row has a stray quote", `2,"${tenMegabytes}"\n3,b"\n`, guess],
    ["it has other fields itself", `2,"${tenMegabytes}",3\n4,a\n`, guess],
    ["text follows its quote", `2,"${tenMegabytes}"x\n3,a\n`, guess],
    ["a quote is in its middle", `2,${tenMegabytes}"\n3,a\n`, guess],
    [
      "it has other fields and no quote",
      `${tenMegabytes}\n3,a\n`,
      `ConfigError: a.csv:3: the row is longer than ${rowBytesMax} bytes`,
    ],
  ])("stops the file when %s", async (_, rows, error) => {
    expect(await readContent(`${header}1,a\n${rows}`)).toEqual({ items: [one], error });
  });

  it("stops the file at the line of a quote that is never closed, whatever comes after it", async () => {
    const rows = "3,a\n".repeat(1_000_000);
    const message = "ConfigError: a.csv:3: a quote opened on this line is never closed";
    expect(await readContent(`${header}1,a\n2,"${rows}`)).toEqual({ items: [one], error: message });
    expect(await readContent(`${header}1,a\n2,"${rows}4,"a"\n`)).toEqual({
      items: [one],
      error: guess,
    });
    // Items are only yielded once their page is complete.
    const short = await readContent(`${header}1,a\n2,"b\n3,a\n`);
    expect(short).toEqual({ items: [], error: message });
  });

  it("is followed to the limit and no further", async () => {
    const content = Buffer.alloc(header.length + longRowBytesMax + 2, "x");
    content.write(`${header}2,`);
    for (const bytes of someOf([longRowBytesMax, longRowBytesMax - 1], 2)) {
      const file = content.subarray(0, header.length + bytes + 1);
      file[header.length + bytes] = 0x0a;
      expect(await readContent(file)).toEqual({ items: ["a.csv:2 row_too_long"] });
      file[header.length + bytes] = 0x78;
    }
    content[header.length + longRowBytesMax + 1] = 0x0a;
    expect(await readContent(content)).toEqual({
      items: [],
      error: `ConfigError: a.csv:2: the row is longer than ${longRowBytesMax} bytes`,
    });
  });
});

describe("a row of the wrong shape", () => {
  it.each([
    ["is short", "2\n", "ragged_row"],
    ["is long", "2,b,c\n", "ragged_row"],
    ["has a quote inside a field", '2,5" pipe\n', "stray_quote"],
    ["has text after a quoted field", '2,"b"c\n', "stray_quote"],
  ])("is a reject when it %s, and the rows around it are read", async (_, row, code) => {
    expect(await readContent(`${header}1,a\n${row}3,a\n`)).toEqual({
      items: [one, rowAt(4, "3"), `a.csv:3 ${code}`],
    });
  });

  it("stops the file when a stray quote leaves it open where the row ends", async () => {
    expect(await readContent(`${header}1,a\n2, "b\n3",c\n`)).toEqual({
      items: [],
      error:
        "ConfigError: a.csv:3: a quote on this line is misplaced or never closed, so where its " +
        "row ends would be a guess",
    });
  });
});

describe("line ends", () => {
  const items = [one, rowAt(3, "2"), rowAt(4, "3")];

  it.each([
    ["CR alone", "id,name\r1,a\r2,a\r3,a\r"],
    ["CRLF", "id,name\r\n1,a\r\n2,a\r\n3,a\r\n"],
    ["mixed ends", "id,name\r\n1,a\n2,a\r3,a\r\n"],
    ["no end after the last row", "id,name\n1,a\n2,a\n3,a"],
  ])("are accepted: %s", async (_, content) => {
    expect(await readContent(content)).toEqual({ items });
  });

  it("leave no trace as blank lines but in their count and the lines of the rows", async () => {
    await withFolder({ "a.csv": "\nid,name\n\n1,a\r\n\r\n\r2,a\n" }, async (folder) => {
      const lines: string[] = [];
      const log = {
        lines,
        info: (text: string, facts?: object) => lines.push(`${text} ${JSON.stringify(facts)}`),
        warn: (text: string) => lines.push(text),
      };
      const { items: found } = await readAll(configOf(folder), { log });
      expect(found).toEqual([rowAt(4, "1"), rowAt(7, "2")]);
      expect(lines).toEqual(['blank lines were passed over {"file":"a.csv","lines":3}']);
    });
  });
});

import { describe, expect, it } from "vitest";

import { blockBytes } from "../../../../connectors/csv/limits.ts";
import { rowBytesMax } from "../../../../src/limits.ts";
import { layoutOf, oracle, scan, scanEachWay, type Scanned } from "../support.ts";

async function scanText(text: string, layout = layoutOf(["a", "b"])): Promise<Scanned> {
  return await scanEachWay(Buffer.from(text), layout);
}

describe("scanner", () => {
  it.each<[what: string, text: string, found: { rows: string[][]; lines: number[] }]>([
    ["nothing", "", { rows: [], lines: [] }],
    [
      "plain rows",
      "1,2\n3,4\n",
      {
        rows: [
          ["1", "2"],
          ["3", "4"],
        ],
        lines: [1, 2],
      },
    ],
    [
      "no last line end",
      "1,2\n3,4",
      {
        rows: [
          ["1", "2"],
          ["3", "4"],
        ],
        lines: [1, 2],
      },
    ],
    [
      "CRLF",
      "1,2\r\n3,4\r\n",
      {
        rows: [
          ["1", "2"],
          ["3", "4"],
        ],
        lines: [1, 2],
      },
    ],
    [
      "lone CR",
      "1,2\r3,4\r",
      {
        rows: [
          ["1", "2"],
          ["3", "4"],
        ],
        lines: [1, 2],
      },
    ],
    [
      "a mixture",
      "1,2\r\n3,4\r5,6\n7,8",
      {
        rows: [
          ["1", "2"],
          ["3", "4"],
          ["5", "6"],
          ["7", "8"],
        ],
        lines: [1, 2, 3, 4],
      },
    ],
    [
      "blank lines",
      "\n\r\n1,2\n\n\r\r\n3,4\n\n",
      {
        rows: [
          ["1", "2"],
          ["3", "4"],
        ],
        lines: [3, 7],
      },
    ],
    [
      "empty fields",
      ",\n,",
      {
        rows: [
          ["", ""],
          ["", ""],
        ],
        lines: [1, 2],
      },
    ],
    ["blanks kept", " 1 , 2 \n", { rows: [[" 1 ", " 2 "]], lines: [1] }],
    [
      "quoted fields",
      '"1","2"\n"",""\n',
      {
        rows: [
          ["1", "2"],
          ["", ""],
        ],
        lines: [1, 2],
      },
    ],
    ["a quoted delimiter", '"1,2",3\n', { rows: [["1,2", "3"]], lines: [1] }],
    [
      "quoted line ends",
      '"a\nb","c\r\nd"\r"e\rf",g\n1,2',
      {
        rows: [
          ["a\nb", "c\r\nd"],
          ["e\rf", "g"],
          ["1", "2"],
        ],
        lines: [1, 4, 6],
      },
    ],
    [
      "doubled quotes",
      '"a""b",""""\n"""a","b"""\n',
      {
        rows: [
          ['a"b', '"'],
          ['"a', 'b"'],
        ],
        lines: [1, 2],
      },
    ],
    [
      "a quote before a line end",
      '1,"2"\r\n3,"4"',
      {
        rows: [
          ["1", "2"],
          ["3", "4"],
        ],
        lines: [1, 2],
      },
    ],
    [
      "two, three and four bytes",
      'é,東京\n"é""",👋\n',
      {
        rows: [
          ["é", "東京"],
          ['é"', "👋"],
        ],
        lines: [1, 2],
      },
    ],
    ["a mark inside the text", "1,\ufeff2\n", { rows: [["1", "\ufeff2"]], lines: [1] }],
    ["U+FFFD that was written", "1,\ufffd\n", { rows: [["1", "\ufffd"]], lines: [1] }],
    ["a CR at the end", "1,2\r", { rows: [["1", "2"]], lines: [1] }],
    ["control characters", "1\u0001,\u001f2\n", { rows: [["1\u0001", "\u001f2"]], lines: [1] }],
  ])("reads %s, whatever the pieces", async (_, text, found) => {
    expect(await scanText(text)).toEqual({ ...found, rejects: [] });
    expect(oracle(text)).toEqual(found.rows);
  });

  it.each<[what: string, text: string, found: { rows: string[][]; rejects: string[] }]>([
    [
      "a short row",
      "1,2\n3\n5,6\n",
      {
        rows: [
          ["1", "2"],
          ["5", "6"],
        ],
        rejects: ["2 ragged_row"],
      },
    ],
    [
      "a long row",
      "1,2\n3,4,\n5,6\n",
      {
        rows: [
          ["1", "2"],
          ["5", "6"],
        ],
        rejects: ["2 ragged_row"],
      },
    ],
    [
      "a line of blanks",
      "1,2\n  \n5,6\n",
      {
        rows: [
          ["1", "2"],
          ["5", "6"],
        ],
        rejects: ["2 ragged_row"],
      },
    ],
    [
      "a NUL",
      '1,2\n\0,4\n5,"\0"\n7,8',
      {
        rows: [
          ["1", "2"],
          ["7", "8"],
        ],
        rejects: ["2 nul_byte", "3 nul_byte"],
      },
    ],
    ["an inch", '5" pipe,2\n3,4\n', { rows: [["3", "4"]], rejects: ["1 stray_quote"] }],
    [
      "an inch before a quoted line end",
      '5" pipe,"2\n3"\n4,5\n',
      { rows: [["4", "5"]], rejects: ["1 stray_quote"] },
    ],
    ["a quoted inch", '"5" pipe",2\n3,4\n', { rows: [["3", "4"]], rejects: ["1 stray_quote"] }],
    ["text after a quote", '"x"y,2\n3,4\n', { rows: [["3", "4"]], rejects: ["1 stray_quote"] }],
    [
      "text after a quote, a quoted line end",
      '"x"y,"2\n3"\n3,4\n',
      { rows: [["3", "4"]], rejects: ["1 stray_quote"] },
    ],
    ["a blank before a quote", ' "1",2\n3,4\n', { rows: [["3", "4"]], rejects: ["1 stray_quote"] }],
    ["a blank after a quote", '"1" ,2\n3,4\n', { rows: [["3", "4"]], rejects: ["1 stray_quote"] }],
    [
      "two bad rows in turn",
      '"x"y,2\n5",2\n3,4',
      { rows: [["3", "4"]], rejects: ["1 stray_quote", "2 stray_quote"] },
    ],
  ])("refuses %s alone", async (_, text, found) => {
    const { rows, rejects, error } = await scanText(text);
    expect({ rows, rejects, error }).toEqual({ ...found, error: undefined });
  });

  it.each<[what: string, text: string, error: string]>([
    ["is never closed", '1,2\n3,"4\n5,6\n', "f:2: a quote opened on this line is never closed"],
    [
      "is closed by the next quoted field",
      '1,2\n3,"4\n5,"6"\n7,8\n',
      "f:2: a quote on this line is misplaced",
    ],
    [
      "opens on a later line of its row",
      '"1\n2","3\n',
      "f:2: a quote opened on this line is never closed",
    ],
    ["may have been meant to open", '1, "2\n3",4\n', "f:1: a quote on this line is misplaced"],
    ["may not have closed its field", '"x"y"z,2\n3,4\n', "f:1: a quote on this line is misplaced"],
  ])("stops at a quote that %s", async (_, text, error) => {
    expect((await scanText(text)).error).toContain(error);
  });

  it("takes quotes for text when there is no quote character", async () => {
    const layout = layoutOf(["a", "b"], { dialect: { delimiter: ",", quote: false } });
    expect((await scanText('5" pipe,"2"\n', layout)).rows).toEqual([['5" pipe', '"2"']]);
  });

  it("takes other quotes and delimiters", async () => {
    const layout = layoutOf(["a", "b"], { dialect: { delimiter: "\t", quote: "'" } });
    expect((await scanText("'1\t''2'''\t\"\n", layout)).rows).toEqual([["1\t'2'", '"']]);
  });

  it.each(["\n", "\r\n", "\r", ""])(
    "takes rows up to the limit and no further, ended by %j",
    async (lineEnd) => {
      const scanRow = async (bytes: number): Promise<Scanned> =>
        await scan(
          Buffer.from(`1,${"x".repeat(bytes - 2)}${lineEnd}`),
          blockBytes,
          layoutOf(["a", "b"]),
        );
      for (const bytes of [rowBytesMax - 1, rowBytesMax]) {
        const { rows, error } = await scanRow(bytes);
        expect([rows[0]?.[1]?.length, error]).toEqual([bytes - 2, undefined]);
      }
      const { rows, rejects, error } = await scanRow(rowBytesMax + 1);
      expect([rows, rejects, error]).toEqual([[], ["1 row_too_long"], undefined]);
    },
  );
});

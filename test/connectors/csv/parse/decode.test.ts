import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { Encoding } from "../../../../connectors/csv/config.ts";
import { PageReader } from "../../../../connectors/csv/parse/pages.ts";
import { inPieces, layoutOf, scanEachWay, type Scanned } from "../support.ts";

function encode(text: string, encoding: Encoding): Buffer {
  if (encoding === "utf-8") return Buffer.from(text);
  const little = Buffer.from(text, "utf16le");
  return encoding === "utf-16be" ? little.swap16() : little;
}

async function scanAs(bytes: Buffer, encoding: Encoding): Promise<Scanned> {
  return await scanEachWay(bytes, layoutOf(["a", "b"], { encoding }));
}

async function reasonOf(bytes: Buffer, encoding: Encoding): Promise<string | undefined> {
  const layout = layoutOf(["a", "b"], { encoding });
  const start = { offset: 0, line: 1 };
  const read = { place: "f", layout, start, pageRowsMax: 9, leavesOpenRow: false };
  for await (const page of new PageReader(read).pages(inPieces(bytes, 5))) {
    for (const reject of page.rejects) return `${reject.where}: ${reject.reason}`;
  }
  return undefined;
}

/** The one field of a line of bytes, or nothing if they are not UTF-8. */
function decoded(line: string): string[][] {
  try {
    return [
      [
        new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
          Buffer.from(line, "latin1"),
        ),
      ],
    ];
  } catch {
    return [];
  }
}

describe("textOf", () => {
  it.each<Encoding>(["utf-8", "utf-16le", "utf-16be"])(
    "reads %s, whatever the pieces",
    async (encoding) => {
      const text = 'é,"東""京"\r\n"👋\n","\ufffd"\rz,\u{10ffff}';
      const { rows, rejects, lines } = await scanAs(encode(text, encoding), encoding);
      expect(rows).toEqual([
        ["é", '東"京'],
        ["👋\n", "\ufffd"],
        ["z", "\u{10ffff}"],
      ]);
      expect(rejects).toEqual([]);
      expect(lines).toEqual([1, 2, 4]);
    },
  );

  it("reads all of windows-1252", async () => {
    const defined = [];
    for (let byte = 0x80; byte <= 0xff; byte += 1) {
      if (![0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(byte)) defined.push(byte);
    }
    const bytes = Buffer.concat([Buffer.from("x,"), Buffer.from(defined)]);
    const { rows } = await scanAs(bytes, "windows-1252");
    const high = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ";
    const latin = Array.from({ length: 96 }, (_, index) => String.fromCharCode(0xa0 + index));
    expect(rows).toEqual([["x", high + latin.join("")]]);
  });

  it.each<[what: string, encoding: Encoding, bytes: number[]]>([
    ["a byte of Latin-1", "utf-8", [0xe9]],
    ["a cut sequence", "utf-8", [0xe6, 0x9d]],
    ["an overlong sequence", "utf-8", [0xc0, 0x80]],
    ["a surrogate", "utf-8", [0xed, 0xa0, 0x80]],
    ["above U+10FFFF", "utf-8", [0xf4, 0x90, 0x80, 0x80]],
    ["a byte that stands for nothing", "windows-1252", [0x81]],
    ["a lone high surrogate", "utf-16le", [0x3d, 0xd8]],
    ["a lone low surrogate", "utf-16be", [0xdc, 0x4b]],
  ])("refuses a row with %s in %s alone", async (_, encoding, fault) => {
    const ascii = (text: string): Buffer =>
      encode(text, encoding === "windows-1252" ? "utf-8" : encoding);
    const bad = Buffer.from(fault);
    const bytes = Buffer.concat([
      ascii("1,2\n3,"),
      bad,
      ascii("\n5,6\n"),
      bad,
      ascii(",8\n9,0\n7,"),
      bad,
    ]);
    const { rows, rejects, error } = await scanAs(bytes, encoding);
    expect(rows).toEqual([
      ["1", "2"],
      ["5", "6"],
      ["9", "0"],
    ]);
    expect(rejects).toEqual(["2 invalid_encoding", "4 invalid_encoding", "6 invalid_encoding"]);
    expect(error).toBeUndefined();
  });

  it.each<[encoding: Encoding, bytes: Buffer, reason: string]>([
    ["utf-8", Buffer.from([0x31, 0x2c, 0xef, 0xbf, 0xbd, 0xe9, 0x0a]), "f:1: byte 5 is not utf-8"],
    ["windows-1252", Buffer.from([0x31, 0x2c, 0x80, 0x9d]), "f:1: byte 3 is not windows-1252"],
    ["utf-16le", Buffer.from([0x31, 0, 0x2c, 0, 0x3d, 0xd8]), "f:1: byte 4 is not utf-16le"],
    ["utf-16be", Buffer.from([0, 0x31, 0, 0x2c, 0]), "f:1: byte 4 is not utf-16be"],
  ])("names the byte that is not %s", async (encoding, bytes, reason) => {
    expect(await reasonOf(bytes, encoding)).toBe(reason);
  });

  it("refuses exactly the rows whose bytes TextDecoder refuses", async () => {
    const byte = fc.constantFrom(
      0x61,
      0x2c,
      0x0a,
      0x80,
      0xbf,
      0xc3,
      0xa9,
      0xe2,
      0x82,
      0xac,
      0xf0,
      0x9f,
      0xff,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 24 }),
        fc.array(byte, { maxLength: 24 }),
        async (any, likely) => {
          // A quote, a NUL or a CR would be a different fault.
          const bytes = Buffer.from([...any.map((one) => one | 0x80), ...likely]);
          const lines = bytes
            .toString("latin1")
            .split("\n")
            .filter((line) => line !== "");
          const layout = layoutOf(["a"], { dialect: { delimiter: "\t", quote: '"' } });
          const { rows } = await scanEachWay(bytes, layout);
          expect(rows).toEqual(lines.flatMap(decoded));
        },
      ),
    );
  });
});

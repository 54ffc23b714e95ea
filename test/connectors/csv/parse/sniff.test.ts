import { describe, expect, it } from "vitest";

import { sniffDelimiter, sniffEncoding } from "../../../../connectors/csv/parse/sniff.ts";

describe("sniffDelimiter", () => {
  it.each([
    ["a,b,c\n1;2", ","],
    ["a;b;c,d\n", ";"],
    ["a\tb\n1,2,3", "\t"],
    ["a|b\r\n", "|"],
    ['"a;b;c",d\n', ","],
    ['"a\n;;;",d\n', ","],
    ["\r\n\na;b\n", ";"],
    ["a,b;c", ","],
    ["a", ","],
    ["", ","],
  ])("finds in %j the delimiter %j", (head, delimiter) => {
    expect(sniffDelimiter(head, '"', undefined)).toBe(delimiter);
  });

  it("prefers the delimiter that gives the known number of columns", () => {
    expect(sniffDelimiter("1,5;2,5;3,5\n", '"', 3)).toBe(";");
    expect(sniffDelimiter("1,5;2,5;3,5\n", '"', undefined)).toBe(",");
  });

  it("counts inside quotes that mean nothing", () => {
    expect(sniffDelimiter('5"; 6"; 7,8\n', false, undefined)).toBe(";");
  });
});

describe("sniffEncoding", () => {
  it.each([
    [[0xef, 0xbb, 0xbf, 0x61], "utf-8", 3],
    [[0xff, 0xfe, 0x61, 0], "utf-16le", 2],
    [[0xfe, 0xff, 0, 0x61], "utf-16be", 2],
    [[0xef, 0xbb], "windows-1252", 0],
    [[], "windows-1252", 0],
  ] as const)("reads %j as %s", (bytes, encoding, markBytes) => {
    expect(sniffEncoding(Buffer.from(bytes), "windows-1252")).toEqual({ encoding, markBytes });
  });
});

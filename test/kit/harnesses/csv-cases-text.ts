import { gzipSync } from "node:zlib";

import { rowsOf, utf16, utf16Big, type CsvCase } from "./csv-cases-make.ts";

const words = "id,word\n1,naïve\n2,Zoë\n3,漢字\n4,plain\n5,🜁\n";

const columns = ["id", "word"];

const packedWords = gzipSync(utf16(`\ufeff${words}`));

const wordRows = rowsOf(
  columns,
  ["1", "naïve"],
  ["2", "Zoë"],
  ["3", "漢字"],
  ["4", "plain"],
  ["5", "🜁"],
);

const invalid = { code: "invalid_encoding" };

/** Files in each encoding, with and without a byte order mark, and bytes that are not valid in it. */
export const encodedCases: readonly CsvCase[] = [
  {
    what: "UTF-16 with a byte order mark",
    files: { "a.csv": utf16(`\ufeff${words}`) },
    config: { encoding: "windows-1252" },
    columns,
    rows: wordRows,
    findings: [{ name: "a.csv", ok: true, detail: '2 columns, delimiter ",", utf-16le, 82 bytes' }],
    measure: { bytes: 82, exact: true },
    splits: { 2: [2, 3], 3: [1, 2, 2] },
    places: {
      "byte 18": 0,
      "byte 19": 1,
      "byte 82": 5,
      "byte 83": { code: "ConfigError", says: "byte 83 is beyond the end: a.csv has 82 bytes" },
      "LINE 1": 0,
      " line 3 ": 1,
      "a.csv:4": 2,
      "line 7": 5,
      "line 8": { code: "ConfigError", says: "line 8 is beyond the end: a.csv has 6 lines" },
      "line 0": { code: "ConfigError", says: "counted from 1" },
      "a.csv:0": { code: "ConfigError", says: "counted from 1" },
      "b.csv:1": { code: "ConfigError", says: "is not in any file" },
      "row 3": {
        code: "ConfigError",
        says: '"row 3" is not a place in a CSV file Give "line 48211", "byte 1048576" or "a.csv:48211".',
      },
      "line 3 or so": false,
      "a line 3": false,
    },
    discoveries: [
      {
        name: "a.csv",
        from: {},
        columns: [
          { name: "id", type: "string" },
          { name: "word", type: "string" },
        ],
        key: ["id"],
      },
    ],
  },
  {
    what: "big-endian UTF-16 with a byte order mark, semicolons and CRLF",
    isUncut: true,
    files: { "a.csv": utf16Big('\ufeffid;word\r\n1;a,b,c\r\n2;"x\r\ny"\r\n3;é') },
    columns,
    rows: rowsOf(columns, ["1", "a,b,c"], ["2", "x\r\ny"], ["3", "é"]),
    findings: [{ name: "a.csv", ok: true, detail: '2 columns, delimiter ";", utf-16be, 64 bytes' }],
    places: { "line 4": 2, "line 6": 3, "line 7": false },
  },
  {
    what: "UTF-16 without a byte order mark, tabs and lone CRs",
    files: { "a.csv": utf16("id\tword\r1\ta,b\r\r2\t;;;\r") },
    config: { encoding: "utf-16le" },
    columns,
    rows: rowsOf(columns, ["1", "a,b"], ["2", ";;;"]),
    logs: ['blank lines were passed over {"file":"a.csv","lines":1}'],
    places: { "line 4": 1, "line 5": 2, "line 6": false },
  },
  {
    what: "big-endian UTF-16 that is cut within a character",
    files: {
      "a.csv": Buffer.concat([
        utf16Big("id,word\n1,a\ud800b\n2,ok\n3,c\udc00\n4,good\n5,\ufffd\udc00\ud800\n6,x"),
        Buffer.from([0x00]),
      ]),
    },
    config: { encoding: "utf-16be" },
    columns,
    rows: rowsOf(columns, ["2", "ok"], ["4", "good"]),
    rejects: [
      { where: "a.csv:2", ...invalid, reason: "byte 22 is not utf-16be" },
      { where: "a.csv:4", ...invalid, reason: "byte 44 is not utf-16be" },
      { where: "a.csv:6", ...invalid, reason: "byte 68 is not utf-16be" },
      { where: "a.csv:7", ...invalid, reason: "byte 80 is not utf-16be" },
    ],
  },
  {
    what: "UTF-8 with a byte order mark and a quoted name after it",
    isUncut: true,
    files: { "a.csv": `\ufeff"id","word"\n"1","naïve"\n2,\ufeffx\n` },
    columns,
    rows: rowsOf(columns, ["1", "naïve"], ["2", "\ufeffx"]),
    findings: [{ name: "a.csv", ok: true, detail: '2 columns, delimiter ",", utf-8, 35 bytes' }],
    places: { "byte 15": 0, "byte 16": 1 },
  },
  {
    what: "UTF-8 with bytes that are none",
    files: {
      "a.csv": Buffer.concat([
        Buffer.from("id,word\n1,é\n2,\ufffd\n3,\ufffdé"),
        Buffer.from([0xff, 0x21, 0x0a, 0x34, 0x2c, 0xc3, 0x0a]),
        Buffer.from("5,漢\n6,"),
        Buffer.from([0xe6, 0xbc]),
      ]),
    },
    columns,
    rows: rowsOf(columns, ["1", "é"], ["2", "\ufffd"], ["5", "漢"]),
    rejects: [
      { where: "a.csv:4", ...invalid, reason: "byte 26 is not utf-8", row: "3,\ufffdé\ufffd!" },
      { where: "a.csv:5", ...invalid, reason: "byte 31 is not utf-8", row: "4,\ufffd" },
      { where: "a.csv:7", ...invalid, reason: "byte 41 is not utf-8", row: "6,\ufffd" },
    ],
  },
  {
    isUncut: true,
    what: "Windows-1252 with all that it has, and with what it has not",
    files: { "a.csv": Buffer.from(windows1252Lines(), "latin1") },
    config: { encoding: "windows-1252" },
    columns,
    rows: rowsOf(
      columns,
      ["1", "€‚ƒ„…†‡ˆ‰Š‹ŒŽ"],
      ["2", "‘’“”•–—˜™š›œžŸ"],
      ["3", "\u00a0Müÿ"],
      ["4", 'a"é'],
    ),
    rejects: [0x81, 0x8d, 0x8f, 0x90, 0x9d].map((code, index) => ({
      where: `a.csv:${index + 6}`,
      ...invalid,
      reason: `byte ${60 + index * 6} is not windows-1252`,
      row: `5,é${String.fromCharCode(code)}x`,
    })),
  },
  {
    what: "a gzip file of UTF-16",
    isUncut: true,
    files: { "a.csv.gz": packedWords },
    config: { path: "a.csv.gz" },
    columns,
    rows: wordRows,
    findings: [
      {
        name: "a.csv.gz",
        detail: `2 columns, delimiter ",", utf-16le, ${packedWords.length} bytes of gzip`,
      },
    ],
    measure: { bytes: packedWords.length, exact: true },
    places: {
      "a.csv.gz:6": 4,
      "byte 83": { code: "ConfigError", says: "a.csv.gz has 82 unpacked bytes" },
    },
  },
];

/** One byte a character, as Latin-1 writes them. */
function windows1252Lines(): string {
  const [first, second] = [
    "\u0080\u0082\u0083\u0084\u0085\u0086\u0087\u0088\u0089\u008a\u008b\u008c\u008e",
    "\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0098\u0099\u009a\u009b\u009c\u009e\u009f",
  ];
  const refused = ["\u0081", "\u008d", "\u008f", "\u0090", "\u009d"];
  const lines = ["id,word", `1,${first}`, `2,${second}`, "3,\u00a0Müÿ", '4,"a""é"'];
  return `${[...lines, ...refused.map((one) => `5,é${one}x`)].join("\n")}\n`;
}

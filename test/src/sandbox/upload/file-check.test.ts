import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { recordBytesMax } from "../../../../src/limits.ts";
import { inflatedBytesMax, inflationFreeBytes } from "../../../../src/sandbox/limits.ts";
import { FileCheck, type FileVerdict, isBomb } from "../../../../src/sandbox/upload/file-check.ts";
import { account, gzipOf, started } from "../sandbox-client.ts";

/** A line that holds a given text. */
function lineOf(text: string): string {
  return JSON.stringify({ ...account(1), account_properties: { text } });
}

async function verdictOf(file: Buffer, pieceBytes = file.length): Promise<FileVerdict> {
  const check = new FileCheck("account");
  for (let start = 0; start < file.length; start += pieceBytes) {
    await check.write(file.subarray(start, start + pieceBytes));
  }
  return await check.end();
}

const good = gzipOf([account(1), account(2), account(3)]);
const wrongCrc = Buffer.from(good);
wrongCrc.writeUInt32LE(0, good.length - 8);

const accepted: [string, Buffer, number][] = [
  ["one member", good, 3],
  ["two members", Buffer.concat([good, good]), 6],
  ["trailing zeros", Buffer.concat([good, Buffer.alloc(1_000)]), 3],
  ["no last line feed", gzipSync(JSON.stringify(account(1))), 1],
  ["CR LF", gzipSync(`${JSON.stringify(account(1))}\r\n`), 1],
  ["U+2028 in a string", gzipOf([{ ...account(1), domain: "a\u2028b" }]), 1],
  ["nothing in the gzip", gzipSync(""), 0],
];

const refused: [string, Buffer][] = [
  ["an empty file", Buffer.alloc(0)],
  ["plain text", Buffer.from(JSON.stringify(account(1)))],
  ["a cut gzip", good.subarray(0, -1)],
  ["a gzip cut in its data", good.subarray(0, 30)],
  ["a wrong CRC", wrongCrc],
  ["trailing garbage", Buffer.concat([good, Buffer.from("garbage")])],
  ["zeros, then garbage", Buffer.concat([good, Buffer.alloc(9), Buffer.from("x")])],
  ["zeros, then a member", Buffer.concat([good, Buffer.alloc(1), good])],
  ["a cut second member", Buffer.concat([good, good.subarray(0, -1)])],
  ["gzip in gzip", gzipSync(good)],
  ["an empty line", gzipSync(`${JSON.stringify(account(1))}\n\n`)],
  ["a byte that is not UTF-8", gzipSync(Buffer.from(JSON.stringify(account(1)), "latin1"))],
  ["a byte order mark", gzipSync(`\uFEFF${JSON.stringify(account(1))}`)],
];

describe.each([1, 2, 7, 1_000_000])("an upload in pieces of %i bytes", (pieceBytes) => {
  it.each(accepted)("is accepted: %s", async (_name, file, records) => {
    expect(await verdictOf(file, pieceBytes)).toMatchObject({ issues: [], records });
  });
});

describe("a file put and confirmed (T7)", () => {
  it.each(accepted)("are applied: %s", async (_name, file, records) => {
    const client = await started();
    expect((await client.confirm(await client.upload(file))).status).toBe(200);
    expect((await client.ledger()).at(-1)).toMatchObject({ records, applied: true });
  });

  it.each(refused)("are refused whole: %s", async (_name, file) => {
    const client = await started();
    const answer = await client.confirm(await client.upload(file));
    expect(answer.status).toBe(422);
    expect(await client.records()).toEqual([]);
  });

  it.each([
    ["zeros", Buffer.alloc(100 * 1024 * 1024)],
    ["records", Buffer.from(`${JSON.stringify(account(1))}\n`.repeat(200_000))],
  ])("are refused without being inflated when they are a bomb of %s", async (_name, bytes) => {
    const client = await started();
    const bomb = gzipSync(bytes, { level: 9 });
    expect(bytes.length / bomb.length).toBeGreaterThan(100);
    const answer = await client.confirm(await client.upload(bomb));
    expect(answer.status).toBe(422);
    const entry = (await client.ledger()).at(-1);
    expect(entry).toMatchObject({ jsonl_sha256: null, applied: false });
    expect(entry?.["records"]).toBeLessThan(100_000);
  });
});

describe("the check of a file", () => {
  it.each([
    [recordBytesMax - 1, true],
    [recordBytesMax, true],
    [recordBytesMax + 1, false],
  ])("takes a line of %i bytes: %s", async (bytes, isTaken) => {
    // Two bytes a character, so that a limit that counts characters would let it pass.
    const spare = bytes - Buffer.byteLength(lineOf(""));
    const long = lineOf("é".repeat(Math.floor(spare / 2)) + "x".repeat(spare % 2));
    for (const file of [gzipSync(long, { level: 0 }), gzipSync(`${long}\n`, { level: 0 })]) {
      const { issues } = await verdictOf(file, 50_000);
      expect(issues).toMatchObject(isTaken ? [] : [{ loc: ["file", 0], type: "too_long" }]);
      expect(issues).toHaveLength(isTaken ? 0 : 1);
    }
  });

  it("ends a line that never does before the file does", async () => {
    const file = gzipSync(Buffer.alloc(recordBytesMax * 3, "x"), { level: 0 });
    const { issues, records, memberBytes } = await verdictOf(file);
    expect(issues).toMatchObject([{ loc: ["file", 0], type: "too_long" }]);
    expect(records).toBe(0);
    expect(memberBytes).toBeLessThan(recordBytesMax * 1.5);
  });

  it("names 100 lines and looks no further", async () => {
    const { issues, jsonlSha256 } = await verdictOf(gzipSync("?\n".repeat(150)));
    expect(issues.map(({ loc }) => loc[1])).toEqual(Array.from({ length: 100 }, (_, line) => line));
    expect(jsonlSha256).toBeNull();
  });

  it("names only the line that is not UTF-8", async () => {
    const line = Buffer.from(`${JSON.stringify(account(1))}\n`);
    const { issues, records } = await verdictOf(
      gzipSync(Buffer.concat([line, Buffer.from([0xff, 0x0a]), line])),
    );
    expect(issues).toMatchObject([{ loc: ["file", 1], msg: "Line is not UTF-8" }]);
    expect(records).toBe(3);
  });
});

describe("isBomb", () => {
  it.each([
    [{ received: 20_000, inflated: 2_000_000 }, false],
    [{ received: 20_000, inflated: 2_000_001 }, true],
    [{ received: 20_000, inflated: 1_999_999 }, false],
    [{ received: 1, inflated: inflationFreeBytes }, false],
    [{ received: 1, inflated: inflationFreeBytes + 1 }, true],
    [{ received: inflatedBytesMax, inflated: inflatedBytesMax - 1 }, false],
    [{ received: inflatedBytesMax, inflated: inflatedBytesMax }, false],
    [{ received: inflatedBytesMax, inflated: inflatedBytesMax + 1 }, true],
  ])("of %o is %s", (bytes, expected) => {
    expect(isBomb(bytes)).toBe(expected);
  });
});

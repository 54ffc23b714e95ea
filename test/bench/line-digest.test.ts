import { describe, expect, it } from "vitest";

import { LineDigest, linesOfBytes } from "../../bench/workloads/line-digest.ts";

function digestOf(lines: readonly string[]): string {
  const digest = new LineDigest();
  for (const line of lines) digest.add(line);
  return digest.toString();
}

/** The lines of a text that comes in pieces of this many bytes. */
async function linesIn(text: string, pieceBytes: number): Promise<string[]> {
  const all = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < all.length; at += pieceBytes) yield all.subarray(at, at + pieceBytes);
  }
  const lines: string[] = [];
  for await (const line of linesOfBytes(pieces())) lines.push(Buffer.from(line).toString());
  return lines;
}

describe("a digest of lines", () => {
  it("is the same in whatever order the lines come", () => {
    expect(digestOf(["c", "a", "b", "a"])).toBe(digestOf(["a", "a", "b", "c"]));
  });

  it.each([
    ["a line that is missing", ["a", "b"]],
    ["a line that is another", ["a", "b", "d"]],
    ["a line that comes twice", ["a", "b", "c", "c"]],
    ["one line in place of another", ["a", "b", "b"]],
    ["the same bytes cut otherwise", ["ab", "c", ""]],
  ])("tells %s", (_what, lines) => {
    expect(digestOf(lines)).not.toBe(digestOf(["a", "b", "c"]));
  });
});

describe("linesOfBytes", () => {
  it.each([1, 2, 3, 7, 100])("finds the lines in pieces of %i bytes", async (pieceBytes) => {
    const text = "one\n\ntwö\u2028still two\r\nthree";
    const lines = ["one", "", "twö\u2028still two\r", "three"];
    expect(await linesIn(text, pieceBytes)).toEqual(lines);
    expect(await linesIn(`${text}\n`, pieceBytes)).toEqual(lines);
  });
});

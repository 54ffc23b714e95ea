import { describe, expect, it } from "vitest";

import { csvConfig } from "../../../../connectors/csv/config.ts";
import { blockBytes } from "../../../../connectors/csv/limits.ts";
import { csvPosition } from "../../../../connectors/csv/position.ts";
import { rowBytesMax } from "../../../../src/limits.ts";
import { layoutOf, scan } from "../support.ts";

/** A megabyte takes some 10 ms; with quadratic time it would take minutes (docs/facts/threats.md#t19). */
const megabyteMsMax = 2_000;

/** The processor time of this process: other work on a busy machine does not count. */
async function msOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Fills a row to its limit: a piece before, and as much of another as fits. */
function rowOf(before: string, piece: string): string {
  const room = rowBytesMax - 2 - Buffer.byteLength(before);
  return `1,${before}${piece.repeat(Math.floor(room / Buffer.byteLength(piece)))}`;
}

const blanks = " ".repeat(400_000);

describe("a megabyte made to be slow", () => {
  it.each([
    ["quotes", rowOf("", '"')],
    ["quotes behind blanks", rowOf(blanks, '"')],
    ["quotes behind blanks and a letter", rowOf(`${blanks}x`, '"')],
    ["quotes after a blank each", rowOf("x", ' "')],
    ["quotes and delimiters", rowOf("", '",')],
    ["a quoted field of doubled quotes", rowOf('"', '""')],
    ["delimiters", rowOf("", ",")],
    ["blanks and delimiters", rowOf("", ' ",')],
    ["NULs", rowOf("", "\0")],
    ["replacement characters", rowOf("", "\ufffd")],
    ["carriage returns in quotes", rowOf('"', "\r")],
  ])("takes no longer as a row than another: %s", async (_, row) => {
    // The byte after it that is not UTF-8 forces a check of every row.
    const bytes = Buffer.concat([Buffer.from(row), Buffer.from([0xff]), Buffer.from("\n1,2\n")]);
    const ms = await msOf(async () => await scan(bytes, blockBytes, layoutOf(["a", "b"])));
    expect(ms).toBeLessThan(megabyteMsMax);
  });

  it.each(["utf-16le", "windows-1252"] as const)("takes no longer in %s", async (encoding) => {
    const text = rowOf(blanks, '"').slice(0, 490_000);
    const bytes = Buffer.from(text, encoding === "utf-16le" ? "utf16le" : "latin1");
    const layout = layoutOf(["a", "b"], { encoding });
    expect(await msOf(async () => await scan(bytes, blockBytes, layout))).toBeLessThan(
      megabyteMsMax,
    );
  });

  it.each(["a", "*", "[", "{a,", "**/", "\\", "(a|", "+", "\u{1f600}"])(
    "is refused at once as a path: %s",
    async (piece) => {
      const path = piece.repeat(1_000_000 / piece.length);
      const ms = await msOf(() => expect(csvConfig.safeParse({ path }).success).toBe(false));
      expect(ms).toBeLessThan(megabyteMsMax);
    },
  );

  it.each(["delimiter", "quote", "encoding"])("is refused at once as %s", async (member) => {
    const config = { path: "a.csv", [member]: ",".repeat(1_000_000) };
    const ms = await msOf(() => expect(csvConfig.safeParse(config).success).toBe(false));
    expect(ms).toBeLessThan(megabyteMsMax);
  });

  it("is refused at once as a hash in a position", async () => {
    const hash = "0".repeat(1_000_000);
    const position = { files: [{ file: "a", offset: 0, line: 1, head: hash, tail: hash }] };
    const ms = await msOf(() => expect(csvPosition.safeParse(position).success).toBe(false));
    expect(ms).toBeLessThan(megabyteMsMax);
  });
});

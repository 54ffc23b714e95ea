import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { PlainScanner } from "../../../../connectors/csv/parse/plain-scan.ts";
import { Scanner, type Dialect } from "../../../../connectors/csv/parse/scan.ts";
import { Window } from "../../../../connectors/csv/parse/window.ts";
import { rowBytesMax } from "../../../../src/limits.ts";
import { numbers } from "../../../support/sequences.ts";
import { trials } from "../../../support/trials.ts";

/** A row as found by either scanner. */
type Found = {
  readonly line: number;
  readonly cells: readonly (readonly [start: number, end: number, flags: number])[];
  /** Where the next row begins, and on which line. */
  readonly next: readonly [at: number, line: number];
};

type Reading = { readonly dialect: Dialect; readonly columns: number; readonly rowsMax: number };

/**
 * Reads a window as pages are read: plain rows many at a time, all others one by one; checks that the scanner finds the
 * plain ones identically. Returns the number of plain rows.
 */
function readBothWays(window: Window, { dialect, columns, rowsMax }: Reading): number {
  const plain = new PlainScanner(dialect, columns);
  const scanner = new Scanner(dialect, 1);
  plain.load(window);
  let found = 0;
  try {
    for (;;) {
      const shift = 7;
      const { at } = window;
      const rows = plain.scan(at, { shift, line: scanner.line, rowsMax, bytesMax: 1e6 });
      const ways: { readonly plain: Found[]; readonly scanned: Found[] } = {
        plain: [],
        scanned: [],
      };
      const placeOf = (cell: number): [number, number, number] => [
        (rows.starts[cell] ?? 0) - shift,
        (rows.ends[cell] ?? 0) - shift,
        rows.flags[cell] ?? 0,
      ];
      let bytes = 0;
      for (const row of numbers(rows.count)) {
        const step = scanner.next(window);
        const isSound = scanner.fields === columns && !scanner.hasNul && !scanner.hasStrayQuote;
        expect([step, isSound]).toEqual(["row", true]);
        bytes += scanner.rowEnd - scanner.rowStart;
        const next = [window.at, scanner.line] as const;
        const { starts, ends, flags } = scanner;
        ways.scanned.push({
          line: scanner.rowLine,
          cells: numbers(columns).map((n) => [starts[n] ?? 0, ends[n] ?? 0, flags[n] ?? 0]),
          next,
        });
        ways.plain.push({
          line: rows.lines[row] ?? 0,
          cells: numbers(columns).map((n) => placeOf(row * columns + n)),
          // The ends of the rows in between are not used.
          next: row === rows.count - 1 ? [rows.next, rows.nextLine] : next,
        });
      }
      expect(ways.plain).toEqual(ways.scanned);
      const whole = [rows.count === 0 ? rows.end : scanner.rowEnd, bytes];
      expect([rows.end, rows.bytes]).toEqual(whole);
      found += rows.count;
      if (rows.count === rowsMax) continue;
      const step = scanner.next(window);
      if (step !== "row" && step !== "blank") return found;
    }
  } finally {
    plain.close();
  }
}

function windowOf(bytes: Buffer, isFinal: boolean): Window {
  const window = new Window("utf-8", 0);
  window.append(bytes);
  if (isFinal) window.finish();
  return window;
}

const word = fc.constantFrom(
  "",
  "a",
  "é",
  "東京",
  " ",
  "x".repeat(15),
  "y".repeat(16),
  "z".repeat(40),
);
const quoted = fc
  .array(fc.constantFrom("a", '""', "\n", "\r\n", "\r", ",", "é", "\0", "w".repeat(17)), {
    maxLength: 5,
  })
  .map((parts) => `"${parts.join("")}"`);
const broken = fc.constantFrom('"a"b', 'a"b', '"', "\0", ' "a"', '""a');
const cell = fc.oneof(
  { weight: 12, arbitrary: word },
  { weight: 5, arbitrary: quoted },
  { weight: 1, arbitrary: broken },
);
const end = fc.oneof(
  { weight: 8, arbitrary: fc.constant("\n") },
  { weight: 3, arbitrary: fc.constant("\r\n") },
  { weight: 1, arbitrary: fc.constantFrom("\r", "\n\n", "\r\r\n", "", ",\n", "\n\r") },
);
const row = fc
  .tuple(fc.array(cell, { minLength: 3, maxLength: 3 }), end)
  .map(([cells, last]) => `${cells.join(",")}${last}`);

describe("rows without doubt", () => {
  it("are what the scanner finds: cells, flags, lines, whatever stands between them, however much there is", () => {
    let found = 0;
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 12 }),
        fc.record({
          cut: fc.nat(40),
          isFinal: fc.boolean(),
          rowsMax: fc.integer({ min: 1, max: 4 }),
        }),
        fc.constantFrom<string | false>('"', "'", false),
        (rows, { cut, isFinal, rowsMax }, quote) => {
          const text = rows.join("").replaceAll('"', quote === "'" ? "'" : '"');
          const bytes = Buffer.from(text);
          const window = windowOf(bytes.subarray(0, bytes.length - cut), isFinal);
          found += readBothWays(window, {
            dialect: { delimiter: ",", quote },
            columns: 3,
            rowsMax,
          });
        },
      ),
      { numRuns: trials(600) },
    );
    // Makes sure that rows are compared at all; the seed decides how many.
    expect(found).toBeGreaterThan(300);
  });

  it("are what the scanner finds in any bytes", () => {
    const unit = fc.constantFrom(..."ab,,;\"'\n\n\r\0é".split(""));
    let found = 0;
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 60 }),
        fc.integer({ min: 1, max: 3 }),
        (text, columns) => {
          const window = windowOf(Buffer.from(text), true);
          const dialect = { delimiter: ",", quote: '"' };
          found += readBothWays(window, { dialect, columns, rowsMax: 9 });
        },
      ),
      { numRuns: trials(1_000) },
    );
    expect(found).toBeGreaterThan(20);
  });

  it.each([
    ["as long as a row may be", 0, 1],
    ["a byte longer", 1, 0],
  ])("are %s", (_, more, count) => {
    const plain = new PlainScanner({ delimiter: ",", quote: '"' }, 2);
    const window = windowOf(Buffer.from(`a,${"x".repeat(rowBytesMax - 2 + more)}\n`), false);
    plain.load(window);
    const asked = { shift: 0, line: 1, rowsMax: 10, bytesMax: 1e7 };
    expect(plain.scan(0, asked).count).toBe(count);
    plain.close();
  });

  it("end with the page: at its rows, and behind its bytes", () => {
    const plain = new PlainScanner({ delimiter: ",", quote: '"' }, 2);
    plain.load(windowOf(Buffer.from("1,2\n".repeat(50)), true));
    const asked = { shift: 0, line: 1, rowsMax: 7, bytesMax: 1_000 };
    expect(plain.scan(0, asked)).toMatchObject({ count: 7, next: 28, nextLine: 8, bytes: 21 });
    expect(plain.scan(28, { ...asked, bytesMax: 7 })).toMatchObject({
      count: 3,
      bytes: 9,
      end: 39,
    });
    plain.close();
  });
});

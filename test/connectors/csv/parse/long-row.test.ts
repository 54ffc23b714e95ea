import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { LongRow } from "../../../../connectors/csv/parse/long-row.ts";
import { Scanner } from "../../../../connectors/csv/parse/scan.ts";
import { Window } from "../../../../connectors/csv/parse/window.ts";
import { trials } from "../../../support/trials.ts";

const dialect = { delimiter: ",", quote: '"' };

type Encoding = ConstructorParameters<typeof Window>[0];

/** Follows a row that comes in pieces: the last step, and the resulting state. */
function follow(text: string, encoding: Encoding, pieceBytes: number): object {
  const bytes = Buffer.from(text, encoding === "utf-8" ? "utf8" : "utf16le");
  const window = new Window(encoding, 0);
  const row = new LongRow(dialect, 1);
  let step = row.follow(window);
  for (let at = 0; at < bytes.length && step === "more"; at += pieceBytes) {
    window.append(bytes.subarray(at, at + pieceBytes));
    step = row.follow(window);
  }
  // A row that ends with the last byte may still be followed by half of its line end.
  window.finish();
  if (step === "more") step = row.follow(window);
  const { fields, nextLine } = row;
  return step === "row" ? { step, fields, nextLine, at: window.at } : { step };
}

/** The scanner's result, which sees all of the text at once. */
function scanned(text: string): object {
  const window = new Window("utf-8", 0);
  window.append(Buffer.from(text));
  window.finish();
  const scanner = new Scanner(dialect, 1);
  const step = scanner.next(window);
  if (step === "doubtful" || scanner.hasStrayQuote) return { step: "doubtful" };
  const { fields, line } = scanner;
  return step === "row" ? { step, fields, nextLine: line, at: window.at } : { step };
}

describe("a long row", () => {
  const piece = fc.constantFrom("a", ",", '"', "\n", "\r", '"",', '",', ',"', "\r\n");
  // A blank line is not a row, and so never a long one.
  const row = fc
    .array(piece, { minLength: 1, maxLength: 12 })
    .map((pieces) => pieces.join(""))
    .filter((text) => !/^[\r\n]/.test(text));

  it("ends where the scanner ends any row, whatever pieces it comes in", () => {
    fc.assert(
      fc.property(row, fc.integer({ min: 1, max: 4 }), (text, pieceBytes) => {
        const expected = scanned(text);
        expect(follow(text, "utf-8", pieceBytes)).toEqual(expected);
        expect(follow(text, "utf-16le", 2 * pieceBytes)).toEqual(expected);
      }),
      { numRuns: trials(600) },
    );
  });
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { layoutOf, oracle, scanEachWay } from "./support.ts";

const layout = layoutOf(["a", "b"]);

function written(text: string, isQuoted: boolean): string {
  return isQuoted || /["\r\n,]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The oracle's result, or nothing if it fails. */
function oracleOrNothing(text: string): ReturnType<typeof oracle> | undefined {
  try {
    return oracle(text);
  } catch {
    return undefined;
  }
}

const none = { same: 0, "both refuse": 0, "only the oracle refuses": 0 };

/** Scans a text and compares: rows of two fields must be rows, all others rejects. */
async function compare(text: string): Promise<keyof typeof none> {
  const { rows, rejects, error } = await scanEachWay(Buffer.from(text), layout);
  const expected = oracleOrNothing(text);
  if (expected === undefined) {
    const isRefused = error !== undefined || rejects.some((one) => one.endsWith("stray_quote"));
    return isRefused ? "both refuse" : "only the oracle refuses";
  }
  expect(error).toBeUndefined();
  expect(rows).toEqual(expected.filter((row) => row.length === 2));
  expect(rejects).toHaveLength(expected.length - rows.length);
  return "same";
}

describe("the scanner beside csv-parse", () => {
  it("reads the same of anything well written", async () => {
    const field = fc.string({
      unit: fc.constantFrom("a", "é", "東", "👋", " ", ";", ",", '"', "\n", "\r"),
    });
    const fields = fc.array(fc.tuple(field, fc.boolean()), { minLength: 1, maxLength: 4 });
    const row = fc
      .tuple(fields, fc.constantFrom("\n", "\r\n", "\r", "\n\n"))
      .map(
        ([all, lineEnd]) =>
          all.map(([text, isQuoted]) => written(text, isQuoted)).join(",") + lineEnd,
      );
    const file = fc
      .tuple(fc.array(row, { maxLength: 8 }), fc.boolean())
      .map(([rows, endsOpen]) =>
        endsOpen ? rows.join("").replace(/[\r\n]+$/, "") : rows.join(""),
      );
    await fc.assert(
      fc.asyncProperty(file, async (text) => {
        expect(await compare(text)).toBe("same");
      }),
      { numRuns: 200 },
    );
  });

  it("reads the same of anything at all, or both refuse it", async () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "é", " ", ",", '"', "\n", "\r"),
      maxLength: 40,
    });
    const seen = { ...none };
    await fc.assert(
      fc.asyncProperty(text, async (anything) => {
        seen[await compare(anything)] += 1;
      }),
      { numRuns: 500 },
    );
    expect(seen["only the oracle refuses"]).toBe(0);
    expect(Math.min(seen.same, seen["both refuse"])).toBeGreaterThan(50);
  });
});

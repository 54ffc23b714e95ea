import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { lightweightBodyBytesMax } from "../../../src/limits.ts";
import { bodyEnvelope, createBodyCutter, recordBytesInBody } from "../../../src/pipeline/bodies.ts";
import type { Body } from "../../../src/state/contract/sends/stagings.ts";
import { trials } from "../../support/trials.ts";

const stream = "account";

/** Cuts lines that come in groups, as pages bring them. */
function cut(
  groups: readonly (readonly string[])[],
  bytesMax: number,
): readonly Body[] | undefined {
  const cutter = createBodyCutter(stream, bytesMax);
  for (const line of groups.flat()) cutter.add(Buffer.byteLength(line));
  return cutter.bodies();
}

/** The body as sent. */
function textOf(lines: readonly string[], { from, to }: Body): string {
  const { head, tail } = bodyEnvelope(stream);
  return `${head}${lines.slice(from, to).join(",")}${tail}`;
}

/** A line of JSON of exactly this many bytes. */
function lineOf(bytes: number): string {
  return `"${"x".repeat(bytes - 2)}"`;
}

describe("bodyEnvelope", () => {
  it("stands around records as the service takes them", () => {
    const [body] = cut([['{"a":1}', '{"b":2}']], 1_000) ?? [];
    const text = textOf(['{"a":1}', '{"b":2}'], body ?? { from: 0, to: 0, bytes: 0 });
    expect(JSON.parse(text)).toEqual({ stream, data: [{ a: 1 }, { b: 2 }] });
  });
});

describe("createBodyCutter", () => {
  it("covers every record once and in order, each body as full as it may be, to the byte", () => {
    const bytesMax = 120;
    const text = fc.oneof(
      fc.string({ maxLength: 80 }),
      fc.string({ unit: "grapheme", maxLength: 25 }),
    );
    const groups = fc.array(
      fc.array(
        text.map((value) => JSON.stringify(value)),
        { maxLength: 12 },
      ),
    );
    fc.assert(
      fc.property(groups, (pages) => {
        const lines = pages.flat();
        const bodies = cut(pages, bytesMax);
        const fits = lines.every(
          (line) => Buffer.byteLength(line) <= recordBytesInBody(stream, bytesMax),
        );
        expect(bodies !== undefined).toBe(fits);
        let next = 0;
        for (const body of bodies ?? []) {
          expect(body.from).toBe(next);
          next = body.to;
          const bytes = Buffer.byteLength(textOf(lines, body));
          expect(body.bytes).toBe(bytes);
          expect(bytes).toBeLessThanOrEqual(bytesMax);
          const more = Buffer.byteLength(textOf(lines, { ...body, to: body.to + 1 }));
          expect(body.to === lines.length || more > bytesMax).toBe(true);
        }
        expect(next).toBe(fits ? lines.length : 0);
      }),
      { numRuns: trials(200) },
    );
  });

  it.each([
    [-1, 1],
    [0, 1],
    [1, 2],
  ])("puts two records of %i bytes over the limit together into %i bodies", (over, count) => {
    const room = recordBytesInBody(stream, lightweightBodyBytesMax) - 1;
    const lines = [lineOf(400_000), lineOf(room - 400_000 + over)];
    expect(cut([lines], lightweightBodyBytesMax)).toHaveLength(count);
    expect(
      cut(
        lines.map((line) => [line]),
        lightweightBodyBytesMax,
      ),
    ).toHaveLength(count);
  });

  it.each([
    [-1, true],
    [0, true],
    [1, false],
  ])("has bodies for a record %i bytes over what fits alone: %s", (over, fits) => {
    const line = lineOf(recordBytesInBody(stream, lightweightBodyBytesMax) + over);
    const bodies = cut([["{}"], [line], ["{}"]], lightweightBodyBytesMax);
    expect(bodies?.map(({ from, to }) => [from, to])).toEqual(
      fits
        ? [
            [0, 1],
            [1, 2],
            [2, 3],
          ]
        : undefined,
    );
  });

  it("has none for no records", () => {
    expect(cut([], 1_000)).toEqual([]);
    expect(cut([[], []], 1_000)).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";

import { rejectRowCharsMax, splitsPerRunMax } from "../../../src/limits.ts";
import { splitsPerRunMin } from "../../../src/pipeline/limits.ts";
import {
  assertWithinLimit,
  rejectMaker,
  sourceRejects,
  splitsMaxOf,
} from "../../../src/pipeline/rejects.ts";
import { rowPage } from "./support.ts";

const fault = { step: "map", code: "required", reason: "is empty" } as const;

describe("rejectMaker", () => {
  it("keeps the row, nothing of it, or a hash that equal rows share", () => {
    const page = rowPage([{ id: "1" }, { id: "1" }, { id: "2" }]);
    const kept = (keep: "drop" | "hash" | "keep"): (string | undefined)[] =>
      [0, 1, 2].map((index) => rejectMaker("account", keep)(page, index, fault).row);
    expect(kept("keep")).toEqual(['{"id":"1"}', '{"id":"1"}', '{"id":"2"}']);
    expect(kept("drop")).toEqual([undefined, undefined, undefined]);
    const [first, second, third] = kept("hash");
    expect(first).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });
});

describe("sourceRejects", () => {
  it.each([
    [rejectRowCharsMax - 1, rejectRowCharsMax - 1],
    [rejectRowCharsMax, rejectRowCharsMax],
    [rejectRowCharsMax + 1, rejectRowCharsMax + 1],
  ])("keeps of a row of %i characters %i, a mark for what was cut included", (length, kept) => {
    const row = "x".repeat(length);
    const rejects = [{ where: "a.csv:2", code: "ragged_row", reason: "is ragged", row }];
    const [reject] = sourceRejects(rowPage([], { rejects }), "account", "keep");
    expect(reject?.row).toHaveLength(kept);
    expect(reject?.row?.endsWith("…")).toBe(length > rejectRowCharsMax);
  });

  it("keeps no row where the connector gave none", () => {
    const rejects = [{ where: "a.csv:2", code: "bad_bytes", reason: "is not UTF-8", key: "7" }];
    expect(sourceRejects(rowPage([], { rejects }), "account", "hash")).toEqual([
      {
        stream: "account",
        place: "a.csv:2",
        step: "read",
        code: "bad_bytes",
        reason: "is not UTF-8",
        key: "7",
        row: undefined,
      },
    ]);
  });
});

describe("assertWithinLimit", () => {
  it.each([
    [0.57, 57],
    [0.29, 29],
    [0.07, 7],
  ])("lets a run with rejects at its rate of %d pass: %i of 100", (rate, rejected) => {
    const atLimit = (): void => assertWithinLimit({ rate, rows: 0 }, { rejected, read: 100 });
    expect(atLimit).not.toThrow();
    const beyond = (): void =>
      assertWithinLimit({ rate, rows: 0 }, { rejected: rejected + 1, read: 100 });
    expect(beyond).toThrow(`(0 rows and ${rejected} %)`);
  });
});

describe("splitsMaxOf", () => {
  it.each([
    ["no reject is allowed", { rate: 0, rows: 0 }, splitsPerRunMin],
    ["halving finds them all", { rate: 0.05, rows: 20 }, 2 * 51 * 10],
    ["rows allow more than the rate", { rate: 0.001, rows: 20 }, 2 * 21 * 10],
    ["a drain rejects whatever is pushed", { rate: 1, rows: 0 }, splitsPerRunMax],
  ])("follows the limit of rejects where %s", (_, limit, splits) => {
    expect(splitsMaxOf(limit, { read: 1_000, records: 1_000 })).toBe(splits);
  });

  it("takes the rate for what is written", () => {
    const splits = splitsMaxOf({ rate: 0.57, rows: 0 }, { read: 100, records: 1_000 });
    expect(splits).toBe(2 * 58 * 10);
  });
});

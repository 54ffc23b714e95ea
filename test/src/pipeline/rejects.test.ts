import { describe, expect, it } from "vitest";

import { rejectRowCharsMax, splitsPerRunMax } from "../../../src/limits.ts";
import { splitsPerRunMin } from "../../../src/pipeline/limits.ts";
import { numbered, type RowPage } from "../../../src/pipeline/page.ts";
import {
  assertWithinLimit,
  rejectMaker,
  sourceRejects,
  splitsMaxOf,
} from "../../../src/pipeline/rejects.ts";
import { unshownRow } from "../../../src/records/row-json.ts";
import { collect, streamOf } from "../../support/sequences.ts";
import { rowPage } from "./support.ts";

function itself(): Record<string, unknown> {
  const row: Record<string, unknown> = { id: "1" };
  row["parent"] = row;
  return row;
}

function fail(): never {
  throw new RangeError("Invalid time value");
}

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

  it.each([
    ["an integer beyond 2^53", { id: 9_007_199_254_740_993n }, '{"id":"9007199254740993"}'],
    ["a row that contains itself", itself(), unshownRow],
    ["a cell that refuses to be written", { id: "1", at: { toJSON: fail } }, unshownRow],
  ])("keeps of %s what JSON can show", (_, row, shown) => {
    const keep = (how: "drop" | "hash" | "keep"): string | undefined =>
      rejectMaker("account", how)(rowPage([row]), 0, fault).row;
    expect(keep("keep")).toBe(shown);
    expect(keep("drop")).toBeUndefined();
    expect(keep("hash")).toMatch(/^sha256:/);
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

const unread = { code: "ragged_row", reason: "is ragged" };

/** The numbers of the rows of the second of two pages, and of its rejects. */
async function numbersOf(page: Partial<RowPage>) {
  const rows = [{ id: "1" }, { id: "2" }, { id: "3" }];
  const [, numberedPage] = await collect(numbered(streamOf([rowPage(rows), rowPage(rows, page)])));
  if (numberedPage === undefined) throw new Error("a page is missing");
  const makeReject = rejectMaker("account", "drop");
  return {
    rows: rows.map((_, index) => makeReject(numberedPage, index, fault).rowNumber),
    rejects: Object.fromEntries(
      sourceRejects(numberedPage, "account", "drop").map(({ place, rowNumber }) => [
        place,
        rowNumber,
      ]),
    ),
  };
}

describe("numbers of rows and of rejects of the reader", () => {
  it("are one sequence, as the reader says how many rows come before a reject", async () => {
    const places = ["a.csv:2", "a.csv:4", "b.csv:2"];
    const rejects = [
      { where: "b.csv:3", ...unread, rowsBefore: 3 },
      { where: "a.csv:3", ...unread, rowsBefore: 1 },
      { where: "b.csv:4", ...unread, rowsBefore: 3 },
    ];
    const where = (index: number): string => places[index] ?? "";
    expect(await numbersOf({ where, rejects })).toEqual({
      rows: [4, 6, 7],
      rejects: { "a.csv:3": 5, "b.csv:3": 8, "b.csv:4": 9 },
    });
  });

  it("follow the places where the reader does not say it", async () => {
    const places = ["a.csv:2", "a.csv:4", "a.csv:10"];
    const rejects = ["a.csv:9", "a.csv:3", "a.csv:11"].map((at) => ({ where: at, ...unread }));
    expect(await numbersOf({ where: (index) => places[index] ?? "", rejects })).toEqual({
      rows: [4, 6, 8],
      rejects: { "a.csv:3": 5, "a.csv:9": 7, "a.csv:11": 9 },
    });
  });

  it("put a reject before all rows where nothing shows the order", async () => {
    const rejects = ["b.csv:9", "elsewhere"].map((where) => ({ where, ...unread }));
    expect(await numbersOf({ rejects })).toEqual({
      rows: [6, 7, 8],
      rejects: { "b.csv:9": 4, elsewhere: 5 },
    });
  });

  it("stay within the page whatever a connector says", async () => {
    const rejects = [
      { where: "a", ...unread, rowsBefore: -3 },
      { where: "b", ...unread, rowsBefore: 9 },
    ];
    expect(await numbersOf({ rejects })).toEqual({ rows: [5, 6, 7], rejects: { a: 4, b: 8 } });
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

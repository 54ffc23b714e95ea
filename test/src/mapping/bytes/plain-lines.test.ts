import { describe, expect, it } from "vitest";

import { recordMappingSchema } from "../../../../src/mapping/schema.ts";
import type { RowPage } from "../../../../src/pipeline/page.ts";
import { nullCell, type Cells } from "../../../../src/records/cells.ts";
import { asObjects, linesOf } from "../../../connectors/lines-of.ts";
import { numbers } from "../../../support/sequences.ts";

const columns = ["id", "site", "name", "more"];

const record = recordMappingSchema.parse({
  account_id: "id",
  domain: "site",
  account_properties: {
    name: "name",
    more: { column: "more", empty: "keep" },
    both: { template: "{name}-{more}" },
  },
});
const asked = { stream: "account", record, bytesMax: 1e9 } as const;

type Values = readonly (string | null)[];

/** Rows as cells, one after the other, each with the columns of a row. */
function cellsOf(rows: readonly Values[], names: readonly string[] = columns): Cells {
  const all = rows.flat();
  const ends = new Int32Array(all.length);
  let length = 0;
  for (const [cell, text] of all.entries()) {
    ends[cell] = length += Buffer.byteLength(text ?? "");
  }
  return {
    columns: names,
    count: rows.length,
    bytes: Buffer.from(all.map((text) => text ?? "").join("")),
    starts: Int32Array.from(ends, (_, cell) => ends[cell - 1] ?? 0),
    ends,
    flags: Uint8Array.from(all, (text) => (text === null ? nullCell : 0)),
    quote: 0x22,
    row: (index) => Object.fromEntries(names.map((name, at) => [name, rows[index]?.[at]])),
  };
}

function pageOf(cells: Cells): RowPage {
  return {
    get rows() {
      return numbers(cells.count).map((index) => cells.row(index));
    },
    cells,
    position: 0,
    where: (index) => `a:${index}`,
  };
}

/** Checks that pages of cells become what their objects become. Returns how many rows were objects. */
async function objectsAmong(pages: readonly Cells[]): Promise<number> {
  let made = 0;
  const counted = pages.map((cells) => ({
    ...cells,
    row: (index: number) => {
      made += 1;
      return cells.row(index);
    },
  }));
  const fromCells = await linesOf(counted.map(pageOf), asked);
  const objects = made;
  expect(fromCells).toEqual(await linesOf(asObjects(pages.map(pageOf)), asked));
  return objects;
}

/** The index of a cell. */
function ofRow(row: number, column: number): number {
  return row * columns.length + column;
}

function rowsOf(count: number, name: string): Values[] {
  return numbers(count).map((index) => [`k${index}`, "a.example", name, `${index}`]);
}

describe("plain lines", () => {
  it("have room, however much longer than their cells they are", async () => {
    const pages = [rowsOf(3, "x"), rowsOf(70, "\u0001".repeat(60_000)), rowsOf(2, "y")];
    expect(await objectsAmong(pages.map((rows) => cellsOf(rows)))).toBe(0);
  });

  it("have room for as many nulls as there are columns", async () => {
    const names = [...columns, ...numbers(200).map((index) => `c${index}`)];
    const kept = numbers(200).map(
      (index) => [`c${index}`, { column: `c${index}`, empty: "keep" }] as const,
    );
    const mapping = recordMappingSchema.parse({
      account_id: "id",
      domain: "site",
      account_properties: Object.fromEntries(kept),
    });
    const row: Values = ["k", "a.example", "", "", ...numbers(200).map(() => null)];
    const pages = [pageOf(cellsOf([row], names))];
    const [lines] = await linesOf(pages, { ...asked, record: mapping });
    expect(lines).toMatchObject({ candidates: [{ key: "k" }] });
    expect([lines]).toEqual(await linesOf(asObjects(pages), { ...asked, record: mapping }));
  });

  it("go on behind a row that is an object, and with other columns", async () => {
    const rows = rowsOf(9, "x");
    rows[4] = ["k4", "a.example", "x".repeat(70_000), ""];
    const others = [...columns].toReversed();
    const pages = [
      cellsOf(rows),
      cellsOf(
        rows.map((row) => row.toReversed()),
        others,
      ),
      cellsOf([]),
      cellsOf(rows.slice(0, 3)),
    ];
    expect(await objectsAmong(pages)).toBe(2);
  });

  it("are none of rows whose cells lie where no cell can", async () => {
    const rows = rowsOf(8, "x".repeat(50));
    const cells = cellsOf(rows);
    const { starts, ends } = cells;
    // After the end of the page, far after it, before its start, and ending before they begin.
    ends[ofRow(7, 3)] = cells.bytes.length + 1;
    ends[ofRow(1, 2)] = 2 ** 31 - 1;
    starts[ofRow(3, 2)] = -40_000;
    ends[ofRow(5, 2)] = (starts[ofRow(5, 2)] ?? 0) - 1;
    expect(await objectsAmong([cells])).toBe(4);
  });

  it("are none of rows whose cells have more bytes than is said of the row", async () => {
    const rows = rowsOf(4, "\u0001".repeat(30_000));
    const sizes = Int32Array.from([30_100, 10, 30_100, -1]);
    expect(await objectsAmong([{ ...cellsOf(rows), sizes }])).toBe(2);
  });

  it.each(["t\0", "no\0\0", "\0", "true\0", "1\0y"])("take %j for no boolean", async (name) => {
    const mapping = recordMappingSchema.parse({
      account_id: "id",
      domain: "site",
      account_properties: { name: { column: "name", as: "boolean" } },
    });
    const pages = [pageOf(cellsOf(rowsOf(1, name)))];
    const [lines] = await linesOf(pages, { ...asked, record: mapping });
    expect(lines).toMatchObject({ candidates: [], rejects: [{ code: "not_boolean" }] });
    expect([lines]).toEqual(await linesOf(asObjects(pages), { ...asked, record: mapping }));
  });
});

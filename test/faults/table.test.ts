import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { columns, type Column, type Says } from "./play/cell.ts";
import { isPlayed } from "./play/show.ts";
import { lines, rowsOfTable } from "./table.ts";

/** The kind of a cell, as the test prints it. */
function kindOf(says: Says): "played" | "shown by a test of its own" | "not applicable" {
  if (isPlayed(says)) return "played";
  return "none" in says ? "not applicable" : "shown by a test of its own";
}

const numbers = Array.from({ length: rowsOfTable }, (_, index) => index + 1);

/** Cells that the table leaves empty, or that cannot occur: every other one must be shown. */
const empty: Readonly<Record<number, readonly Column[]>> = {
  19: ["put"],
  21: ["put"],
  30: ["generate", "confirm", "search"],
  38: ["generate", "put", "json", "search"],
  39: ["confirm", "json", "search"],
  41: ["generate", "confirm", "search"],
  42: ["confirm", "json", "search"],
  43: ["put"],
  46: [...columns],
  47: ["put"],
  48: ["generate", "confirm", "json", "search"],
};

describe("the fault table", () => {
  it.each(numbers)(
    "shows in row %i what must follow in every column that the table fills",
    (row) => {
      const ofRow = lines.filter((line) => line.row === row);
      const isShown = (column: Column): boolean =>
        ofRow.some(({ says }) => kindOf(says[column]) !== "not applicable");
      expect(columns.filter((column) => !isShown(column))).toEqual(empty[row] ?? []);
    },
  );

  it("has no row beyond those numbered", () => {
    expect(lines.filter(({ row }) => row < 1 || row > rowsOfTable)).toEqual([]);
  });

  it("names tests that name the row", () => {
    const shown = lines.flatMap(({ row, says }) =>
      columns.flatMap((column) => {
        const cell = says[column];
        return typeof cell === "object" && "shownBy" in cell ? [{ row, file: cell.shownBy }] : [];
      }),
    );
    const root = new URL("../../", import.meta.url);
    const unnamed = shown.filter(({ row, file }) => {
      const text = readFileSync(new URL(file, root), "utf8");
      return !new RegExp(`\\brow ${row}\\b`).test(text);
    });
    expect(shown.length).toBeGreaterThan(0);
    expect(unnamed).toEqual([]);
  });

  it("tells how many cells there are of each kind, and why the others are none", ({ annotate }) => {
    const cells = lines.flatMap((line) =>
      columns.map((column) => ({ ...line, column, cell: line.says[column] })),
    );
    const kinds = Map.groupBy(cells, ({ cell }) => kindOf(cell));
    const reasons = (kinds.get("not applicable") ?? []).map(
      ({ row, column, fault, cell }) =>
        `row ${row}, ${column}, ${fault}: ${typeof cell === "object" && "none" in cell ? cell.none : ""}`,
    );
    const counts = [...kinds].map(([kind, { length }]) => `${length} ${kind}`).join(", ");
    void annotate([counts, ...reasons].join("\n"));
    expect(kinds.get("played")?.length).toBeGreaterThanOrEqual(210);
    expect(reasons.every((reason) => !reason.endsWith(": "))).toBe(true);
  });
});

import { isUtf8 } from "node:buffer";
import { isDeepStrictEqual } from "node:util";

import type { Row } from "../connectors/contract/connector.ts";
import {
  absentCell,
  booleanCell,
  doubledQuote,
  notAscii,
  nullCell,
  numberCell,
  otherCell,
  type Cells,
} from "../src/records/cells.ts";
import { mustBe } from "./failed.ts";

/**
 * Fails unless cells hold the same as the rows of their page, cell by cell: a mapping may read either.
 * @throws {CheckFailed} with the name of a column, and never with a cell.
 */
export function mustTellTheRows(cells: Cells, rows: readonly Row[]): void {
  const { columns, count, sizes } = cells;
  mustBe(count === rows.length, `cells of ${rows.length} rows, as the page has`, `of ${count}`);
  mustBe(new Set(columns).size === columns.length, "each column of cells once", "one twice");
  for (const [index, row] of rows.entries()) {
    mustBeTheRow(cells.row(index), row);
    // Only the object of such a row says what is in it.
    if (sizes?.[index] === -1) continue;
    const missing = Object.keys(row).filter((name) => !columns.includes(name));
    mustBe(missing.length === 0, "cells of every column of a row", `none of ${missing.join(", ")}`);
    for (const [column, name] of columns.entries()) {
      mustTell(cells, index * columns.length + column, { name, row });
    }
  }
}

function mustBeTheRow(made: Row, row: Row): void {
  const names = Object.keys({ ...made, ...row });
  const other = names.find((name) => !isDeepStrictEqual(made[name], row[name]));
  mustBe(other === undefined, "`row(index)` of cells to be the row", `another ${other ?? ""}`);
}

function mustTell(
  { columns, bytes, starts, ends, flags, quote, sizes }: Cells,
  cell: number,
  { name, row }: { readonly name: string; readonly row: Row },
): void {
  const [start = 0, end = 0, flag = 0] = [starts[cell], ends[cell], flags[cell]];
  const isFirst = cell % columns.length === 0;
  const before = isFirst || sizes !== undefined ? 0 : (ends[cell - 1] ?? 0);
  const isAbsent = (flag & absentCell) !== 0;
  const isInOrder = isAbsent || (before <= start && start <= end && end <= bytes.length);
  mustBe(isInOrder, `cells of a row behind one another, also in ${name}`, "another order");
  if ((flag & otherCell) !== 0) return;
  const of = isAbsent ? bytes.subarray(0, 0) : bytes.subarray(start, end);
  mustBe(isUtf8(of), `cells in UTF-8, also in ${name}`, "bytes that are not");
  const isAscii = of.every((byte) => byte <= 0x7f);
  mustBe(isAscii || (flag & notAscii) !== 0, `\`notAscii\` on such a cell of ${name}`, "none");
  const mark = String.fromCharCode(quote);
  const text = of.toString();
  const told = (flag & doubledQuote) === 0 ? text : text.replaceAll(mark + mark, mark);
  const isTold = isAbsent ? !Object.hasOwn(row, name) : isValue(told, flag, row[name]);
  mustBe(isTold, `a cell to hold what the row holds in ${name}, or \`otherCell\` on it`, "another");
}

/** Whether the text of a cell, read as its flags say, is a value of a row. */
function isValue(text: string, flag: number, value: unknown): boolean {
  if ((flag & nullCell) !== 0) return value === null;
  if ((flag & booleanCell) !== 0) return typeof value === "boolean" && text === String(value);
  // A number with too many digits is not a number in the row.
  if ((flag & numberCell) !== 0) return typeof value !== "number" || Number(text) === value;
  return text === value;
}

/** How many cells can be read from their bytes, without the object of a row. */
export function cellsTold({ columns, count, flags, sizes }: Cells): number {
  const { length } = columns;
  const isTold = (row: number, column: number): boolean =>
    sizes?.[row] !== -1 && ((flags[row * length + column] ?? 0) & (absentCell | otherCell)) === 0;
  let told = 0;
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < length; column += 1) told += Number(isTold(row, column));
  }
  return told;
}

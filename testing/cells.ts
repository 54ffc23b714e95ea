import { isUtf8 } from "node:buffer";
import { isDeepStrictEqual } from "node:util";

import type { Row } from "../connectors/contract/connector.ts";
import { doubledQuote, isNoText, isNull, notAscii, type Cells } from "../src/records/cells.ts";
import { mustBe } from "./failed.ts";

/**
 * Fails unless cells tell what the rows of their page hold, cell by cell: a mapping may read either.
 * @throws {CheckFailed} with the name of a column, and never with a cell.
 */
export function mustTellTheRows(cells: Cells, rows: readonly Row[]): void {
  const { columns, count } = cells;
  mustBe(count === rows.length, `cells of ${rows.length} rows, as the page has`, `of ${count}`);
  mustBe(new Set(columns).size === columns.length, "each column of cells once", "one twice");
  for (const [index, row] of rows.entries()) {
    const missing = Object.keys(row).filter((name) => !columns.includes(name));
    mustBe(missing.length === 0, "cells of every column of a row", `none of ${missing.join(", ")}`);
    const made = cells.row(index);
    for (const [column, name] of columns.entries()) {
      const isSame = isDeepStrictEqual(made[name], row[name]);
      mustBe(isSame, `\`row(${index})\` of cells to be the row`, `another ${name}`);
      mustTell(cells, index * columns.length + column, { name, value: row[name] });
    }
  }
}

function mustTell(
  { columns, bytes, starts, ends, flags, quote }: Cells,
  cell: number,
  { name, value }: { readonly name: string; readonly value: unknown },
): void {
  const [start = 0, end = 0, flag = 0] = [starts[cell], ends[cell], flags[cell]];
  const isFirst = cell % columns.length === 0;
  const before = isFirst ? 0 : (ends[cell - 1] ?? 0);
  const isInOrder = before <= start && start <= end && end <= bytes.length;
  mustBe(isInOrder, `cells of a row behind one another, also in ${name}`, "another order");
  if ((flag & isNoText) !== 0) return;
  const of = bytes.subarray(start, end);
  mustBe(isUtf8(of), `cells in UTF-8, also in ${name}`, "bytes that are not");
  const isAscii = of.every((byte) => byte <= 0x7f);
  mustBe(isAscii || (flag & notAscii) !== 0, `\`notAscii\` on such a cell of ${name}`, "none");
  const mark = String.fromCharCode(quote);
  const text = of.toString();
  const told = (flag & doubledQuote) === 0 ? text : text.replaceAll(mark + mark, mark);
  const isTold = (flag & isNull) === 0 ? told === value : value === null && text === "";
  mustBe(isTold, `a cell to hold what the row holds in ${name}, or \`isNoText\` on it`, "another");
}

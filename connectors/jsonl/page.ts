import { isUtf8 } from "node:buffer";

import { parseJsonRow } from "../../src/mapping/json-row.ts";
import type { Page, Reject, Row } from "../contract/connector.ts";
import type { Position } from "./config.ts";
import type { LineGatherer } from "./gather-lines.ts";
import { lineText, type LineCells } from "./line-cells.ts";
import { joined, type JsonlLine } from "./lines.ts";

/** The page of the lines that end at a position. */
export function linePage(
  lines: readonly JsonlLine[],
  position: Position,
  { path, gatherer }: { readonly path: string; readonly gatherer: LineGatherer },
): Page<Row, Position> & { readonly cells: LineCells } {
  const { bytes, stretches } = joined(lines);
  const numbers: number[] = [];
  const rejects: Reject[] = [];
  const [from, to] = [stretches[0]?.from ?? 0, stretches.at(-1)?.to ?? 0];
  const isAllText = isUtf8(bytes.subarray(from, to));
  gatherer.begin(bytes);
  for (const [index, stretch] of stretches.entries()) {
    const number = position.line - lines.length + index;
    const isLong = lines[index]?.isLong === true;
    const isText = isLong || isAllText || isUtf8(bytes.subarray(stretch.from, stretch.to));
    if (!isLong && isText && gatherer.add(stretch)) {
      numbers.push(number);
      continue;
    }
    const text = isLong ? "" : lineText(bytes, stretch);
    const row = parseJsonRow(text);
    const refuse = (code: string, what: string): unknown =>
      rejects.push({
        where: `${path}:${number}`,
        code,
        reason: `the line is ${what}`,
        row: text,
        rowsBefore: numbers.length,
      });
    if (isLong) refuse("line_too_long", "longer than 4 MiB");
    else if (!isText) refuse("invalid_encoding", "not UTF-8");
    else if (row !== undefined) {
      gatherer.addMade(stretch, row);
      numbers.push(number);
    } else if (text !== "") refuse("not_an_object", "not a JSON object");
  }
  const cells = gatherer.take();
  let rows: readonly Row[] | undefined;
  return {
    get rows() {
      rows ??= Array.from({ length: cells.count }, (_, index) => cells.row(index));
      return rows;
    },
    cells,
    rejects,
    position,
    text: (index) => cells.text(index),
    where: (index) => `${path}:${numbers[index]}`,
  };
}

import type { SQLOutputValue } from "node:sqlite";

import type { Page, Reject, Row } from "sluice/connector";

import type { Config, Position } from "./config.ts";

/** A row as SQLite gives it. */
export type Found = Readonly<Record<string, SQLOutputValue>>;

/** The place of a row in the order. */
export function positionOf({ changed, id }: Found): Position {
  return { changed: String(changed), id: String(id) };
}

/** Rows, and rejects for those that no mapping can use. */
export function pageOf(
  config: Config,
  found: readonly Found[],
): Omit<Page<Row, never>, "position"> {
  // Yours to change: the name by which a person, and `get`, finds a row again.
  const where = ({ id }: Found): string => `${config.table}#${String(id)}`;
  const good = found.filter((row) => bytesIn(row) === undefined);
  const rejects = found.flatMap((row): Reject[] => {
    const column = bytesIn(row);
    const reason = `The column ${column} holds bytes, which are not text.`;
    return column === undefined ? [] : [{ where: where(row), code: "bytes", reason }];
  });
  return { rows: good.map(plain), rejects, where: (index) => where(good[index] ?? {}) };
}

function bytesIn(row: Found): string | undefined {
  return Object.keys(row).find((column) => row[column] instanceof Uint8Array);
}

function plain(row: Found): Row {
  const cells = Object.entries(row);
  return Object.fromEntries(
    cells.map(([name, cell]) => [name, typeof cell === "bigint" ? String(cell) : cell]),
  );
}

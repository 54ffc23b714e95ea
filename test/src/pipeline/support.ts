import type { Candidate, MakeReject, RecordPage, RowPage } from "../../../src/pipeline/page.ts";
import { rejectMaker } from "../../../src/pipeline/rejects.ts";
import type { Row } from "../../../src/records/streams.ts";

/** Makes rejects of accounts with their rows. */
export const makeReject: MakeReject = rejectMaker("account", "keep");

/** A page as a connector yields it: rows from line 2 on. */
export function rowPage(rows: readonly Row[], more: Partial<RowPage> = {}): RowPage {
  return { rows, position: { row: rows.length }, where: (index) => `a.csv:${index + 2}`, ...more };
}

/** A page of candidates with these keys and lines, ready to be written. */
export function linePage(
  lines: readonly (readonly [key: string, line: string])[],
  position: unknown = null,
): RecordPage {
  const candidates = lines.map(([key, line], index): Candidate => ({
    record: { account_id: key },
    index,
    key,
    line,
  }));
  const rows = lines.map(([key]) => ({ id: key }));
  const source = rowPage(rows, { position });
  return {
    source,
    read: rows.length,
    candidates,
    rejects: [],
    filtered: 0,
    unchanged: 0,
    superseded: [],
  };
}

/** Whether a page accounts for every row read (I2). */
export function isBalanced({
  read,
  candidates,
  rejects,
  filtered,
  unchanged,
}: RecordPage): boolean {
  return read === candidates.length + rejects.length + filtered + unchanged;
}

import type { Candidate } from "../../../src/pipeline/candidates/candidate.ts";
import { Candidates } from "../../../src/pipeline/candidates/candidates.ts";
import type { MakeReject, RecordPage, RowPage } from "../../../src/pipeline/page.ts";
import { rejectMaker } from "../../../src/pipeline/rejects.ts";
import { JsonlWriter } from "../../../src/records/jsonl.ts";
import type { Row } from "../../../src/records/streams.ts";
import { textAt, type TextBlock } from "../../../src/state/text-block.ts";

/** Makes rejects of accounts with their rows. */
export const makeReject: MakeReject = rejectMaker("account", "keep");

/** A page as a connector yields it, with its rows from line 2 on. */
export function rowPage(rows: readonly Row[], more: Partial<RowPage> = {}): RowPage {
  return { rows, position: { row: rows.length }, where: (index) => `a.csv:${index + 2}`, ...more };
}

/** A page of candidates with these keys and lines, ready to be written. */
export function linePage(
  lines: readonly (readonly [key: string, line: string])[],
  position: unknown = null,
): RecordPage {
  const written = new JsonlWriter();
  const made = lines.map(([key, line], index): Candidate => {
    const start = written.end;
    written.write(line);
    const place = { index, start, end: written.end - 1, keyFrom: -1, keyTo: -1 };
    return { ...place, key };
  });
  const rows = lines.map(([key]) => ({ id: key }));
  const source = rowPage(rows, { position });
  return {
    source,
    read: rows.length,
    candidates: Candidates.of(made, written.take()),
    rejects: [],
    filtered: 0,
    unchanged: 0,
    superseded: [],
  };
}

/** Whether a page accounts for every row read (I2). */
export function isBalanced(page: RecordPage): boolean {
  const { read, candidates, rejects, filtered, unchanged } = page;
  return read === candidates.length + rejects.length + filtered + unchanged;
}

/** The texts of a block. */
export function textsOf(block: TextBlock): string[] {
  return Array.from(block.ends, (_, index) => textAt(block, index));
}

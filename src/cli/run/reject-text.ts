import { stringify } from "csv-stringify/sync";

import type { StoredReject } from "../../state/contract/rejects/rejects.ts";
import { plainJson, plainJsonText, plainText } from "../../text/plain-text.ts";
import { defusedThroughout } from "../../text/spreadsheet-cell.ts";

const columns = [
  "run",
  "number",
  "stream",
  "place",
  "key",
  "step",
  "code",
  "field",
  "reason",
  "row",
  "state",
  "replayed_by",
];

/** A reject in the form that people and programs read. */
function shown(reject: StoredReject): Record<string, string | null> {
  const { runId, chunk, ordinal, stream, place, key, step, code, field, reason, row } = reject;
  const number = `${chunk}.${ordinal}`;
  const became = { state: rejectState(reject), replayed_by: reject.replayedBy };
  return { run: runId, number, stream, place, key, step, code, field, reason, row, ...became };
}

/** What became of a reject: nothing yet, a replay took it, or it needs nobody even without one. */
export function rejectState({
  replayedBy,
  superseded,
  isOpen,
}: StoredReject): "closed" | "open" | "replayed" | "superseded" {
  if (superseded) return "superseded";
  if (replayedBy !== null) return "replayed";
  return isOpen ? "open" : "closed";
}

function isJsonObject(text: string): boolean {
  if (!text.startsWith("{")) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // a row that was too long is cut
  }
}

/** One reject as JSON on one line. Its row is JSON as well, with the digits that it has, or text if it is not JSON. */
export function rejectJson(reject: StoredReject): string {
  const { row, ...rest } = shown(reject);
  const json = typeof row === "string" && isJsonObject(row) ? plainJsonText(row) : plainJson(row);
  return `${plainJson(rest).slice(0, -1)},"row":${json}}`;
}

/** One reject as a line for a person. A reason about a field is worded to follow the field's name. */
export function rejectLine(reject: StoredReject): string {
  const { place, key, field, reason, replayedBy } = reject;
  const of = key === null ? "" : ` (key ${key})`;
  const became = replayedBy === null ? "" : ` [${rejectState(reject)} by ${replayedBy}]`;
  return plainText(`${place}: ${field === null ? "" : `${field} `}${reason}${of}${became}`);
}

function csvLine(values: readonly (string | null)[]): string {
  const cells = values.map((value) => (value === null ? null : defusedThroughout(value)));
  return stringify([cells]);
}

/** The names of the columns of `rejectCsv`, with their line end. */
export const rejectCsvHead: string = csvLine(columns);

/** One reject as a line of CSV, with its line end. Cells that a spreadsheet would take for formulas are defused. */
export function rejectCsv(reject: StoredReject): string {
  const values = shown(reject);
  return csvLine(columns.map((column) => values[column] ?? null));
}

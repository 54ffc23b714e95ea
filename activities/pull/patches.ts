import type { Patch } from "../../connectors/contract/connector.ts";
import { valueAt, type Result } from "../../src/api/results.ts";
import type { ColumnPaths, PullConfig } from "../../src/config/schema/pull.ts";
import { rejectRowCharsMax } from "../../src/limits.ts";
import type { JsonValue } from "../../src/records/json-value.ts";
import { rejectText, type RejectCode } from "../../src/records/reject-codes.ts";
import type { RejectEntry } from "../../src/state/contract/rejects/rejects.ts";

/** The change that one result makes in the source, or why it makes none. */
export type ResultPatch =
  | { readonly patch: Patch; readonly place: string }
  | { readonly reject: RejectEntry };

function valuesAt(result: Result, paths: ColumnPaths): Readonly<Record<string, JsonValue>> {
  return Object.fromEntries(
    Object.entries(paths).map(([column, path]) => [column, valueAt(result, path)]),
  );
}

/** The service's name for a result. */
function placeOf(of: PullConfig["of"], result: Result): string {
  const name = of === "job_postings" ? result["job_opening_url"] : result["mk_id"];
  return typeof name === "string" ? name : `a result of ${of}`;
}

/** Makes the reject of a result. */
export function resultReject(
  of: PullConfig["of"],
  fault: Pick<RejectEntry, "place" | "step"> & {
    readonly code: RejectCode;
    readonly reason?: string;
    readonly field?: string | undefined;
    /** JSON. */
    readonly row?: string | undefined;
  },
): RejectEntry {
  const { reason = rejectText(fault.code), row, ...rest } = fault;
  return { stream: of, ...rest, reason, row: row?.slice(0, rejectRowCharsMax) };
}

/** Makes the patch of one result. */
export function patchOf(result: Result, pull: Pick<PullConfig, "of" | "writeBack">): ResultPatch {
  const { of, writeBack } = pull;
  const patch = { key: valuesAt(result, writeBack.key), set: valuesAt(result, writeBack.set) };
  const place = placeOf(of, result);
  const [column] = Object.entries(patch.key).find(([, value]) => value === null) ?? [];
  if (column === undefined) return { patch, place };
  const field = writeBack.key[column];
  const fault = { place, step: "pull", code: "no_key", field } as const;
  return { reject: resultReject(of, { ...fault, row: JSON.stringify(result) }) };
}

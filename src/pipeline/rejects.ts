import { createHash } from "node:crypto";

import { TooManyRejectsError } from "../errors.ts";
import { rejectRowCharsMax, splitsPerRunMax } from "../limits.ts";
import { rowJson, unshownRow } from "../records/row-json.ts";
import type { RejectEntry } from "../state/contract/rejects/rejects.ts";
import { shareOf } from "../text/quantities.ts";
import { splitsPerRunMin } from "./limits.ts";
import { rejectNumber, rowAt, rowNumbers, type MakeReject, type RowPage } from "./page.ts";

/** What the reject store keeps of a source row: the row, nothing, or a hash that shows whether two are equal. */
export type KeepRows = "keep" | "drop" | "hash";

function kept(text: string, keepRows: KeepRows): string | undefined {
  if (keepRows === "drop") return undefined;
  if (keepRows === "hash") return `sha256:${createHash("sha256").update(text).digest("hex")}`;
  return text.length > rejectRowCharsMax ? `${text.slice(0, rejectRowCharsMax)}…` : text;
}

/** The text of a row as it came; undefined if it is an object that JSON cannot show. */
export function rowText(page: RowPage, index: number): string | undefined {
  return page.text?.(index) ?? rowJson(rowAt(page, index));
}

/** Returns the function that makes the rejects of a sync. */
export function rejectMaker(stream: string, keepRows: KeepRows): MakeReject {
  return (page, index, fault) => ({
    stream,
    place: page.where(index),
    rowNumber: page.first === undefined ? undefined : rowNumbers(page)(index),
    ...fault,
    row: kept(rowText(page, index) ?? unshownRow, keepRows),
  });
}

/** A code is shown in Temporal, and must not let anything else get there. */
const codeForm = /^[a-z][a-z0-9_]{0,63}$/;

/** The rejects that the connector itself yielded with a page. */
export function sourceRejects(page: RowPage, stream: string, keepRows: KeepRows): RejectEntry[] {
  return (page.rejects ?? []).map(({ where, code, reason, key, row }, index) => ({
    stream,
    place: where,
    rowNumber: page.first === undefined ? undefined : rejectNumber(page, index),
    step: "read",
    code: codeForm.test(code) ? code : "source_reject",
    reason,
    key,
    row: row === undefined ? undefined : kept(row, keepRows),
  }));
}

/** How many rejects stop a run: more than both `rate` (0 to 1) of the rows read and `rows`. */
export type RejectLimit = { readonly rate: number; readonly rows: number };

/** The rejects of a run so far, and the rows that it read. */
export type RejectsSoFar = { readonly rejected: number; readonly read: number };

/** Whether a run has more rejects than its limit allows. */
export function isBeyondLimit(
  { rate, rows }: RejectLimit,
  { rejected, read }: RejectsSoFar,
): boolean {
  return rejected > rows && rejected > shareOf(rate, read);
}

/** @throws {TooManyRejectsError} a run has more rejects than its limit allows. */
export function assertWithinLimit(limit: RejectLimit, { rejected, read }: RejectsSoFar): void {
  if (!isBeyondLimit(limit, { rejected, read })) return;
  const { rate, rows } = limit;
  throw new TooManyRejectsError(
    `${rejected} of ${read} rows were refused, more than \`reject_limit\` allows ` +
      `(${rows} rows and ${shareOf(rate, 100)} %): the chunk that would exceed it is not sent`,
    {
      field: "reject_limit",
      hint:
        "look at `sluice rejects list`; fix the source or the mapping. A record that the service refused by a " +
        "fault of its own is tried again a day later, or by `sluice run --full`",
    },
  );
}

/**
 * How many parts splitting may make in a run: each record that may be rejected is found by halving, which costs two
 * uploads for each time that the chunk can be halved.
 */
export function splitsMaxOf(
  { rate, rows }: RejectLimit,
  { read, records }: { readonly read: number; readonly records: number },
): number {
  const rejectsMax = Math.max(rows, Math.floor(shareOf(rate, read))) + 1;
  const asked = 2 * rejectsMax * Math.ceil(Math.log2(Math.max(2, records)));
  return Math.min(splitsPerRunMax, Math.max(splitsPerRunMin, asked));
}

import { createHash } from "node:crypto";

import { TooManyRejectsError } from "../errors.ts";
import { rejectRowCharsMax } from "../limits.ts";
import type { RejectEntry } from "../state/rejects.ts";
import type { MakeReject, RowPage } from "./page.ts";

/** What the reject store keeps of a source row: the row, nothing, or a hash that shows whether two are equal. */
export type KeepRows = "keep" | "drop" | "hash";

function kept(text: string, keepRows: KeepRows): string | undefined {
  if (keepRows === "drop") return undefined;
  if (keepRows === "hash") return `sha256:${createHash("sha256").update(text).digest("hex")}`;
  return text.length > rejectRowCharsMax ? `${text.slice(0, rejectRowCharsMax)}…` : text;
}

/** How the rejects of a sync are made. */
export function rejectMaker(stream: string, keepRows: KeepRows): MakeReject {
  return (page, index, fault) => ({
    stream,
    place: page.where(index),
    ...fault,
    row: kept(page.text?.(index) ?? JSON.stringify(page.rows[index] ?? null), keepRows),
  });
}

/** A code is shown in Temporal, and must not be a way for anything else to get there. */
const codeForm = /^[a-z][a-z0-9_]{0,63}$/;

/** The rejects that the connector itself yielded with a page. */
export function sourceRejects(page: RowPage, stream: string, keepRows: KeepRows): RejectEntry[] {
  return (page.rejects ?? []).map(({ where, code, reason, key, row }) => ({
    stream,
    place: where,
    step: "read",
    code: codeForm.test(code) ? code : "source_reject",
    reason,
    key,
    row: row === undefined ? undefined : kept(row, keepRows),
  }));
}

/** How many rejects stop a run: more than both `rate` (0 to 1) of the rows read and `rows`. */
export type RejectLimit = { readonly rate: number; readonly rows: number };

/** @throws {TooManyRejectsError} a run has more rejects than its limit allows. */
export function assertWithinLimit(
  { rate, rows }: RejectLimit,
  { rejected, read }: { readonly rejected: number; readonly read: number },
): void {
  if (rejected <= rows || rejected <= rate * read) return;
  throw new TooManyRejectsError(
    `${rejected} of ${read} rows were refused, more than \`reject_limit\` allows ` +
      `(${rows} rows and ${rate * 100} %): the chunk that would exceed it is not sent`,
    {
      field: "reject_limit",
      hint: "look at `sluice rejects list`; mend the source or the mapping",
    },
  );
}

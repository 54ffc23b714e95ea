import { z } from "zod";

import type { Cells } from "../records/cells.ts";
import type { Row, StreamRecord } from "../records/streams.ts";
import type { RejectEntry } from "../state/contract/rejects/rejects.ts";
import type { Candidate } from "./candidates/candidate.ts";
import type { Candidates } from "./candidates/candidates.ts";

const recordSchema = z.custom<StreamRecord>((value) => typeof value === "object" && value !== null);

/** A page as a connector yields it; `connectors/contract/connector.ts` says what it promises. */
export type RowPage = {
  readonly rows: readonly Row[];
  readonly cells?: Cells | undefined;
  readonly position: unknown;
  where(index: number): string;
  readonly text?: ((index: number) => string) | undefined;
  readonly rejects?:
    | readonly {
        readonly where: string;
        readonly code: string;
        readonly reason: string;
        readonly key?: string | undefined;
        readonly row?: string | undefined;
        readonly rowsBefore?: number | undefined;
      }[]
    | undefined;
  /** Whether the next run may go back over its rows. @default true */
  readonly mayComeAgain?: boolean | undefined;
  /** Roughly the memory that it takes, where it may be much. */
  readonly heapBytes?: number | undefined;
  /**
   * Lines that were sent before and are sent again as they were: what is known of their keys stays. Such pages come
   * first. @default false
   */
  readonly isAgain?: boolean | undefined;
  /**
   * Rows and rejects of its chunk before it: its own are numbered from there on, and its rejects are in order, each
   * with `rowsBefore`. Undefined where their order does not matter.
   */
  readonly first?: number | undefined;
  /** For a replay, for every row or none: how old `rows[index]` is; see `KeysToStage`. */
  readonly age?: ((index: number) => number) | undefined;
};

/** How many rows a page has. */
export function rowCount(page: Pick<RowPage, "cells" | "rows">): number {
  return page.cells?.count ?? page.rows.length;
}

/** A row of a page; undefined if it has none at this index. */
export function rowAt(page: RowPage, index: number): Row | undefined {
  return page.cells?.row(index) ?? page.rows[index];
}

type PageReject = NonNullable<RowPage["rejects"]>[number];

const place = /^(.*[:#])(\d+)$/s;

/** The part of a place that its rows share with all of a file: `accounts.csv:` of `accounts.csv:48211`. */
export function placeFile(where: string): string {
  return place.exec(where)?.[1] ?? where;
}

/**
 * How many rows of a page come before a reject, by their places, such as `accounts.csv:48211`; none of them if the
 * places do not show the order.
 */
function rowsBeforeByPlace(page: RowPage): (reject: PageReject) => number {
  const places = Array.from({ length: rowCount(page) }, (_, row) => place.exec(page.where(row)));
  return ({ where }) => {
    const [, name, number] = place.exec(where) ?? [];
    if (name === undefined) return 0;
    return places.filter((at) => at?.[1] === name && Number(at[2]) < Number(number)).length;
  };
}

/** The rejects of a page in its order, each with the rows before it. */
function inOrder(page: RowPage): RowPage["rejects"] {
  const { rejects = [] } = page;
  const isKnown = rejects.every(({ rowsBefore }) => rowsBefore !== undefined);
  const byPlace = isKnown ? undefined : rowsBeforeByPlace(page);
  const rows = rowCount(page);
  return rejects
    .map((reject) => {
      const rowsBefore = reject.rowsBefore ?? byPlace?.(reject) ?? 0;
      return { ...reject, rowsBefore: Math.min(Math.max(rowsBefore, 0), rows) };
    })
    .toSorted((a, b) => a.rowsBefore - b.rowsBefore);
}

/** How many of the rejects, in their order, come before the row at `index`. */
function rejectsBefore(rejects: readonly PageReject[], index: number): number {
  let [from, to] = [0, rejects.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((rejects[middle]?.rowsBefore ?? 0) <= index) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Returns the function that numbers the rows of a page, in one sequence with its rejects. */
export function rowNumbers({ first = 0, rejects = [] }: RowPage): (index: number) => number {
  // Called for every row, and most pages have no rejects.
  if (rejects.length === 0) return (index) => first + index + 1;
  return (index) => first + index + 1 + rejectsBefore(rejects, index);
}

/** The number of `rejects[index]` in the same sequence. */
export function rejectNumber({ first = 0, rejects = [] }: RowPage, index: number): number {
  return first + (rejects[index]?.rowsBefore ?? 0) + index + 1;
}

/** Numbers the rows and rejects of a chunk's pages in their order, from `first` on. */
export async function* numbered(pages: AsyncIterable<RowPage>, first = 0): AsyncGenerator<RowPage> {
  let before = first;
  for await (const page of pages) {
    yield {
      get rows() {
        return page.rows;
      },
      cells: page.cells,
      position: page.position,
      rejects: inOrder(page),
      mayComeAgain: page.mayComeAgain,
      heapBytes: page.heapBytes,
      isAgain: page.isAgain,
      first: before,
      where: (index) => page.where(index),
      text: page.text === undefined ? undefined : (index) => page.text?.(index) ?? "",
      age: page.age === undefined ? undefined : (index) => page.age?.(index) ?? 0,
    };
    before += rowCount(page) + (page.rejects?.length ?? 0);
  }
}

/**
 * A page on its way through the pipeline: read = candidates + rejects + filtered + unchanged, after every
 * step (I2).
 */
export type RecordPage = {
  readonly source: RowPage;
  /** Rows and rejects the connector yielded. */
  readonly read: number;
  readonly rejects: RejectEntry[];
  filtered: number;
  unchanged: number;
  /** Places of those filtered rows that were refused once, and of whose keys newer rows were staged since. */
  readonly superseded: string[];
  /** Fields that were left out of records because their values are invalid. */
  readonly omitted?: readonly Omitted[] | undefined;
  readonly candidates: Candidates;
  /** Takes back the memory of the page: its lines and rows must not be read any more. */
  release?(): void;
};

/** The line of a candidate, without its line end; it shares the memory of its page. */
export function lineOf(
  { candidates }: Pick<RecordPage, "candidates">,
  { start, end }: Candidate,
): Buffer {
  return candidates.jsonl.subarray(start, end);
}

/** The record of a candidate, as its line has it: a mapping module may use one object for several rows. */
export function recordOf(page: Pick<RecordPage, "candidates">, candidate: Candidate): StreamRecord {
  return recordSchema.parse(JSON.parse(lineOf(page, candidate).toString()));
}

/** A field that was left out of a record. */
export type Omitted = {
  readonly field: string;
  readonly reason: string;
  /** The place of the row. */
  readonly where: string;
};

/** Makes the reject of a row, with its place from the page and the row as the `pii` setting keeps it. */
export type MakeReject = (
  page: RowPage,
  index: number,
  fault: Pick<RejectEntry, "step" | "code" | "reason" | "field" | "key">,
) => RejectEntry;

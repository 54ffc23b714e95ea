import type { OwnTable } from "./copied-tables.ts";
import type { MoveMark } from "./marks.ts";

/** A value as both ends read and write it; a 64-bit number is a `bigint`. */
export type CopiedValue = string | number | bigint | Uint8Array | null;

/** Values of the columns of a table, in their order. */
export type CopiedRow = readonly CopiedValue[];

/** Rows and bytes at which a batch ends; its last row may take it over the bytes. */
const [batchRowsMax, batchBytesMax] = [1_000, 4 * 1024 * 1024];

/** Yields rows in batches. */
export function* batches(rows: Iterable<CopiedRow>): Generator<readonly CopiedRow[]> {
  let batch: CopiedRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    batch.push(row);
    for (const value of row)
      if (typeof value === "string" || value instanceof Uint8Array) bytes += value.length;
    if (batch.length < batchRowsMax && bytes < batchBytesMax) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/**
 * A store and its inbox, as the source or the target of a copy. All calls between `begin` and `commit` are one
 * transaction in each of its files; the earlier `mark` and `prepare` are transactions of their own.
 * @throws {ConfigError} @throws {StateUnavailableError} from every method, as its database does.
 */
export interface CopyEnd {
  /** The name that people see. */
  readonly name: string;
  /** Merges key data that is kept apart into the tables that are copied; to be called while nothing runs. */
  prepare(): Promise<void>;
  /** The facts of the store, and the id of its inbox as `inbox_id`. */
  facts(): Promise<ReadonlyMap<string, string>>;
  /** What still runs in it, as a clause; undefined if nothing does. */
  whyBusy(): Promise<string | undefined>;
  /** Whether any key data is kept apart. */
  isApart(): Promise<boolean>;
  /** Whether it has no trace of a run, and no event. */
  isEmpty(): Promise<boolean>;
  /**
   * Says where its project continues, so that every process refuses it; earlier transactions have ended by then.
   * @throws {BusyError} another copy is being made, or was made meanwhile.
   */
  mark(mark: MoveMark): Promise<void>;
  /** Removes the mark, if this copy set it. */
  unmark(copyId: string): Promise<void>;
  begin(how: "read" | "write"): Promise<void>;
  /** Removes everything. */
  clear(): Promise<void>;
  read(table: OwnTable): AsyncIterable<readonly CopiedRow[]>;
  write(table: OwnTable, rows: readonly CopiedRow[]): Promise<void>;
  count(table: OwnTable): Promise<number>;
  /** The last number that was drawn for `table.drawn`. */
  lastDrawn(table: OwnTable): Promise<bigint>;
  setDrawn(table: OwnTable, last: bigint): Promise<void>;
  /** Takes over facts, gives the store a new id, and removes its mark; returns the id. */
  adopt(facts: ReadonlyMap<string, string>): Promise<string>;
  commit(): Promise<void>;
  /** Rolls back the open transaction, if there is one. */
  rollBack(): Promise<void>;
  close(): Promise<void>;
}

import type { OwnTable } from "./copied-tables.ts";

/** A value as both ends give and take it; a number of 64 bits is a `bigint`. */
export type CopiedValue = string | number | bigint | Uint8Array | null;

/** Values of the columns of a table, in their order. */
export type CopiedRow = readonly CopiedValue[];

/** Rows and bytes of a batch at most, unless one row alone has more. */
const [batchRowsMax, batchBytesMax] = [1_000, 4 * 1024 * 1024];

/** Rows a batch at a time. */
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
 * A store and its inbox, of which a copy is made or which becomes one. What its methods do between `begin` and
 * `commit` is one transaction, of each of its files; before it `mark` and `prepare` are transactions of their own.
 * @throws {ConfigError} @throws {StateUnavailableError} from every method, as those of its database.
 */
export interface CopyEnd {
  /** As people call it. */
  readonly name: string;
  /** Has nothing of keys stand apart, so that all is in the tables that are copied; to be called while nothing runs. */
  prepare(): Promise<void>;
  /** What the store says of itself, and its inbox as `inbox_id`. */
  facts(): Promise<ReadonlyMap<string, string>>;
  /** What still runs in it, as a clause; undefined: nothing. */
  whyBusy(): Promise<string | undefined>;
  /** Whether anything of keys stands apart. */
  isApart(): Promise<boolean>;
  /** Whether it knows of no run and no event. */
  isEmpty(): Promise<boolean>;
  /** Says where its project continues, so that every process refuses it; what had begun before has ended then. */
  mark(movedTo: string): Promise<void>;
  /** Takes the mark away. */
  unmark(): Promise<void>;
  begin(how: "read" | "write"): Promise<void>;
  /** Removes everything. */
  clear(): Promise<void>;
  read(table: OwnTable): AsyncIterable<readonly CopiedRow[]>;
  write(table: OwnTable, rows: readonly CopiedRow[]): Promise<void>;
  count(table: OwnTable): Promise<number>;
  /** The last number that was drawn for `table.drawn`. */
  lastDrawn(table: OwnTable): Promise<bigint>;
  setDrawn(table: OwnTable, last: bigint): Promise<void>;
  /** Takes over facts, gives the store an id of its own, and takes its mark away; answers the id. */
  adopt(facts: ReadonlyMap<string, string>): Promise<string>;
  commit(): Promise<void>;
  /** Ends what has begun without an effect, if anything has. */
  rollBack(): Promise<void>;
  close(): Promise<void>;
}

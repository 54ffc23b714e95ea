import type { Row, StreamRecord } from "../records/streams.ts";
import type { RejectEntry } from "../state/contract/rejects/rejects.ts";

/** A page as a connector yields it; `connectors/contract/connector.ts` says what it promises. */
export type RowPage = {
  readonly rows: readonly Row[];
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
      }[]
    | undefined;
  /** Whether the next run may go back over its rows. @default true */
  readonly mayComeAgain?: boolean | undefined;
  /**
   * Lines that were sent before and leave once more as they were: what is known of their keys stays. Such
   * pages come first. @default false
   */
  readonly isAgain?: boolean | undefined;
  /**
   * Rows and rejects of its chunk before it: its rows are numbered on from there. Undefined where nobody asks
   * for their order.
   */
  readonly first?: number | undefined;
  /** Of a replay, for every row or none: how old `rows[index]` is; see `KeysToStage`. */
  readonly age?: ((index: number) => number) | undefined;
};

/** Numbers the rows of a chunk's pages in their order, on from `first`. */
export async function* numbered(pages: AsyncIterable<RowPage>, first = 0): AsyncGenerator<RowPage> {
  let before = first;
  for await (const page of pages) {
    yield {
      ...page,
      first: before,
      where: (index) => page.where(index),
      text: page.text === undefined ? undefined : (index) => page.text?.(index) ?? "",
      age: page.age === undefined ? undefined : (index) => page.age?.(index) ?? 0,
    };
    before += page.rows.length + (page.rejects?.length ?? 0);
  }
}

/** A record on its way: from which row of its page it came, and from `lines` on its key and JSON. */
export type Candidate = {
  readonly record: StreamRecord;
  /** Index of its row in the page. */
  readonly index: number;
  key: string;
  /** One line of JSON without its line end; "" before `lines`. */
  line: string;
};

/**
 * A page on its way through the pipeline: read = candidates + rejects + filtered + unchanged, after every
 * step (I2).
 */
export type RecordPage = {
  readonly source: RowPage;
  /** Rows and rejects the connector yielded. */
  readonly read: number;
  candidates: Candidate[];
  readonly rejects: RejectEntry[];
  filtered: number;
  unchanged: number;
  /** Places of rows among those filtered that were refused once, while newer ones of their keys were staged since. */
  readonly superseded: string[];
  /** Fields that were left out of records because their values are invalid. */
  readonly omitted?: readonly Omitted[] | undefined;
};

/** A field that a record goes without. */
export type Omitted = {
  readonly field: string;
  readonly reason: string;
  /** The place of the row. */
  readonly where: string;
};

/** Makes the reject of a row: the place from its page, the row as the `pii` setting keeps it. */
export type MakeReject = (
  page: RowPage,
  index: number,
  fault: Pick<RejectEntry, "step" | "code" | "reason" | "field" | "key">,
) => RejectEntry;

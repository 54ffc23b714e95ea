import type { Row, StreamRecord } from "../records/streams.ts";
import type { RejectEntry } from "../state/rejects.ts";

/** A page as a connector yields it; `connectors/connector.ts` says what it promises. */
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
  /** Of a replay, for every row or none: how old `rows[index]` is; see `KeysToStage`. */
  readonly age?: ((index: number) => number) | undefined;
};

/** A record on its way: from which row of its page it came, and from `lines` on its key and JSON. */
export type Candidate = {
  readonly record: StreamRecord;
  /** Index of its row in the page. */
  readonly index: number;
  key: string;
  /** One line of JSON without its line end; "" before `lines`. */
  line: string;
};

/** A page on its way through the pipeline: read = candidates + rejects + filtered + unchanged, after every step (I2). */
export type Page = {
  readonly source: RowPage;
  /** Rows and rejects the connector yielded. */
  readonly read: number;
  candidates: Candidate[];
  readonly rejects: RejectEntry[];
  filtered: number;
  unchanged: number;
  /** Places of rows among those filtered that were refused once, while newer ones of their keys were staged since. */
  readonly superseded: string[];
};

/** Makes the reject of a row: the place from its page, the row as the `pii` setting keeps it. */
export type MakeReject = (
  page: RowPage,
  index: number,
  fault: Pick<RejectEntry, "step" | "code" | "reason" | "field" | "key">,
) => RejectEntry;

import type { Row } from "../connectors/contract/connector.ts";
import type { TestCase } from "./case.ts";
import type { DeliveryCase } from "./delivery.ts";

/** A row as the kit writes it into a source. */
export type HarnessRow = {
  /**
   * Names the row: digits without a leading zero, below 2^63, so that it fits a column of text or of numbers.
   * Compared as text.
   */
  readonly id: string;
  /** A cell of any kind of text; null where there is none. */
  readonly text: string | null;
  /** When it changed last: ISO 8601 in UTC with six decimals, `2026-03-29T00:59:59.000001Z`. */
  readonly changed: string;
};

/** Cells that not every source can hold; "64 MB" is a whole source, too large for one that is a single document. */
export type HardCell = "null" | "empty" | "NUL" | "line break" | "1 MB" | "64 MB";

/** Takes back what a hook did. */
export type Undo = () => Promise<void>;

/** The members of both kinds of harnesses. */
type AnyHarness = {
  /** Input of the connector's `config`: one that works. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Ends what the harness began. Called once, after the last check. */
  close?(): Promise<void>;
};

/**
 * The source that a connector is tried on, and the hooks that change it. It belongs to the kit alone: everything in it
 * is deleted, many times. Only `fill` and `empty` are required; a check whose hook is missing is reported as not shown.
 * Every hook must be real: a file, a server, a socket.
 */
export type PullHarness = AnyHarness & {
  /** Puts rows in, all at once, in the order given; a row whose id is there already is replaced. */
  fill(rows: readonly HarnessRow[]): Promise<void>;
  /** Takes every row out. */
  empty(): Promise<void>;
  /**
   * The row that the kit wrote, from a row as the connector gave it. @default its members `id`, `text` and `changed`,
   * each as text
   */
  rowOf?(row: Row): HarnessRow;
  /** Cells that the source itself cannot hold. @default none */
  readonly cannotHold?: readonly HardCell[];
  /** Makes the source refuse the credentials until it is undone. */
  deny?(): Promise<Undo>;
  /** Lets the connection die, once, after about this many rows were handed out. */
  breakAt?(rows: number): Promise<Undo>;
  /** Makes the source answer "too many requests" with this wait until it is undone. */
  throttle?(afterMs: number): Promise<Undo>;
  /**
   * Makes the source take requests and never answer until it is undone; the connector must abandon the request within
   * 15 s, as `config` says.
   */
  stall?(): Promise<Undo>;
  /** Writes a row in a transaction that is begun now and committed by what is returned. */
  commitLate?(row: HarnessRow): Promise<() => Promise<void>>;
  /** Puts malformed rows between those that are there, and returns their number; each must become a reject. */
  spoil?(): Promise<number>;
  /** Sources that only this connector knows, and their expected results. */
  readonly cases?: readonly TestCase[];
  /** For a connector with `write`: the columns that it must write, and a way to read the result. */
  readonly written?: {
    /** Columns of a patch: the one that finds a row (its `id`), and one that gets text. */
    readonly key: string;
    readonly set: string;
    /** The value of one row as `write` left it; undefined without the row. */
    read(id: string): Promise<string | null | undefined>;
  };
};

/** The sender that a push connector is tried with. */
export type PushHarness = AnyHarness & {
  /** A delivery of these events, as the sender's own JSON. */
  bodyOf(events: readonly { readonly id: string }[]): string;
  /** Headers that make the body believed; `id` names the delivery. @default the connector's own `sign` */
  sign?(body: Buffer, id: string): Readonly<Record<string, string>>;
  /** Deliveries and configurations that only this connector knows, and their expected results. */
  readonly deliveries?: readonly DeliveryCase[];
};

/** A harness of either kind. */
export type Harness = PullHarness | PushHarness;

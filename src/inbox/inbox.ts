import type { MethodsOf } from "../state/state-store.ts";
import type { Remote } from "../thread.ts";

/** One delivery of one connection: kept whole, or not at all. */
export type Delivery = {
  readonly connection: string;
  /** Unix ms. @default now, by the inbox's clock */
  readonly receivedAt?: number | undefined;
  /** In their order; at most `deliveryEventsMax`. */
  readonly events: readonly {
    /** JSON, as it came. */
    readonly json: string;
    /** Undefined: the event is not compared with earlier ones. */
    readonly id?: string | undefined;
  }[];
};

/** The outcome of a delivery. */
export type Verdict = {
  /** Events that were kept; events with the id and the body of an earlier one are not. */
  readonly kept: number;
  /** Whether nobody has woken the drain since it last looked: then the process that keeps this delivery must. */
  readonly wake: boolean;
};

/** An event of the inbox. */
export type InboxRow = {
  /** From 1, without gaps except for removed events; never given out twice within a connection. */
  readonly seq: number;
  /** Unix ms. */
  readonly receivedAt: number;
  readonly json: string;
  /** As it was delivered; null without one. */
  readonly id: string | null;
  /** Whether an event with another body has its id: the first is sent, this one is to be rejected. */
  readonly isConflict: boolean;
};

/** The backlog of a connection. */
export type Backlog = {
  readonly connection: string;
  /** The last sequence number that was given out; 0 for none. */
  readonly last: number;
  /** Every sync has accepted everything up to it. */
  readonly accepted: number;
  /** Events after `accepted`. */
  readonly waiting: number;
  /** How long the oldest of them has waited, by the inbox's clock; null for none. */
  readonly oldestMs: number | null;
  /** Whether somebody has woken the drain, or had to, since it last looked. */
  readonly hasWakeUp: boolean;
};

/** The first events of a connection, noted when every sync had accepted them, so that they leave a while later. */
export type EventsLeaving = {
  /** The last of them. */
  readonly upTo: number;
  /** Unix ms, by the inbox's clock. */
  readonly since: number;
};

/**
 * Holds webhook deliveries until every sync has sent them. Several receivers and workers may have one open at once.
 * Every call throws a StateUnavailableError when the file or the server cannot be used, and the next one tries again.
 * The SQLite inbox is synchronous, and therefore runs in a thread of its own.
 */
export interface InboxMethods {
  /** Unix ms by the clock that stamps events: this host's, or the database's where several hosts share an inbox. */
  now(): number;
  /**
   * Keeps deliveries, all in one transaction and one fsync; once it returns, they are durable. Event ids are written
   * together with their events.
   * @returns a verdict for each, in their order.
   * @throws {StateUnavailableError} the disk is full, or failed: no delivery may be reported as kept. Events that
   * failed in the last flush may be found nevertheless, and are then delivered twice unless they have ids.
   */
  keep(deliveries: readonly Delivery[]): Verdict[];
  /**
   * Records that the drain looks now: whoever keeps an event from here on wakes it. @returns the last sequence number;
   * 0 for none.
   */
  takeWakeUp(input: { readonly connection: string }): number;
  /** Records the number up to which every sync has accepted. */
  setAccepted(input: { readonly connection: string; readonly upTo: number }): void;
  /** The events that are removed next; up to 0 where none are noted. */
  leaving(input: { readonly connection: string }): EventsLeaving;
  /** Notes which events are removed next. */
  setLeaving(input: EventsLeaving & { readonly connection: string }): void;
  /** The backlogs of the connections that ever received something. */
  backlogs(): Backlog[];
  /**
   * Rows of `(after, upTo]` in their order, at most `limit`, and none after the one that takes them over
   * `inboxReadBytesMax` bytes.
   */
  read(input: {
    readonly connection: string;
    readonly after: number;
    readonly upTo?: number | undefined;
    readonly limit: number;
  }): InboxRow[];
  /** Single rows, as far as they still exist. */
  get(input: { readonly connection: string; readonly seqs: readonly number[] }): InboxRow[];
  /**
   * Removes the first events up to `upTo`: at most `transactionRowsMax` of them, and none after the one that takes them
   * over `inboxGroupCharsMax` bytes, because deliveries wait meanwhile. @returns how many; 0 when none is left.
   */
  prune(input: { readonly connection: string; readonly upTo: number }): number;
  /**
   * Erases the payload and the id of single rows; their numbers stay, because none may be left out. @returns whether
   * they can no longer be read from the inbox's files.
   */
  erase(input: { readonly connection: string; readonly seqs: readonly number[] }): boolean;
  /**
   * Forgets event ids of the hours that had ended at a time (Unix ms), at most `transactionRowsMax` of them.
   * @returns how many; 0 when none is left.
   */
  forgetIds(input: { readonly receivedBefore: number }): number;
}

/** How an inbox is opened: one that is only read need not be writable. */
export type InboxUse = { readonly onlyReads?: boolean };

/** An inbox in a thread of its own. */
export type Inbox = Remote<Omit<InboxMethods, "keep">> & {
  /** Random, made with the inbox: sequence numbers mean nothing in another inbox. */
  readonly inboxId: string;
  /**
   * Keeps a delivery; those that come while one is being written share the next write.
   * @throws {StateUnavailableError} the delivery must not be reported as kept.
   */
  keep(delivery: Delivery): Promise<Verdict>;
  close(): Promise<void>;
};

/** The parts of an inbox that a source reads. */
export type InboxReading = Pick<InboxMethods, "read" | "get"> & {
  /** The last sequence number that a connection has given out; 0 for none. */
  readonly last: (connection: string) => number;
  /** The number of events in `(after, upTo]`. */
  readonly held: (span: {
    readonly connection: string;
    readonly after: number;
    readonly upTo: number;
  }) => number;
};

/** An inbox that is only read. */
export type InboxReader = MethodsOf<InboxReading> & {
  readonly inboxId: string;
  readonly close: () => Promise<void> | void;
};

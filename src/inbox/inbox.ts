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
    /** Undefined: it is not looked whether it came before. */
    readonly id?: string | undefined;
  }[];
};

/** What became of a delivery. */
export type Verdict = {
  /** Events that were kept; those with the id and the body of an earlier one were not. */
  readonly kept: number;
  /** Whether nobody has woken since the drain last looked: then it is this delivery's sender who must. */
  readonly wake: boolean;
};

/** An event of the inbox. */
export type InboxRow = {
  /** From 1, without gaps but for what was removed; never given out twice within a connection. */
  readonly seq: number;
  /** Unix ms. */
  readonly receivedAt: number;
  readonly json: string;
  /** As it was delivered; null without one. */
  readonly id: string | null;
  /** An event of another body has its id: the first is sent, this one is to be rejected. */
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
  /** Whether somebody woke the drain, or was to, since the drain last looked. */
  readonly hasWakeUp: boolean;
};

/**
 * What webhook deliveries are in until every sync has sent them. Several receivers and workers may hold one
 * at once. Every call throws a StateUnavailableError when the file or the server cannot be used, and the next one
 * tries anew. The SQLite one is synchronous, and so in a thread of its own.
 */
export interface InboxMethods {
  /** Unix ms by the clock that stamps what comes: this host's, or the database's where several hosts have one inbox. */
  now(): number;
  /**
   * Keeps deliveries, all in one transaction and one fsync; what it returns is durable. Event ids and their
   * events are one write.
   * @returns a verdict for each, in their order.
   * @throws {StateUnavailableError} the disk is full, or failed: none may be said to be kept. What failed in
   * its last flush may be found all the same, and is then delivered twice unless it has ids.
   */
  keep(deliveries: readonly Delivery[]): Verdict[];
  /**
   * Says that the drain looks now: whoever keeps something from here on wakes. @returns the last sequence
   * number; 0 for none.
   */
  takeWakeUp(input: { readonly connection: string }): number;
  /** Notes up to where every sync has accepted. */
  setAccepted(input: { readonly connection: string; readonly upTo: number }): void;
  /** Of the connections that ever received something. */
  backlogs(): Backlog[];
  /** Rows of `(after, upTo]` in their order, at most `limit`. */
  read(input: {
    readonly connection: string;
    readonly after: number;
    readonly upTo?: number | undefined;
    readonly limit: number;
  }): InboxRow[];
  /** Single rows, of those that are still there. */
  get(input: { readonly connection: string; readonly seqs: readonly number[] }): InboxRow[];
  /**
   * Removes the first events up to `upTo` that came before a time: at most `transactionRowsMax` of them, and
   * no more than one that takes them over `inboxGroupCharsMax` bytes, because whoever keeps something waits
   * meanwhile. @returns how many; 0 when none is left.
   */
  prune(input: {
    readonly connection: string;
    readonly upTo: number;
    /** Unix ms. */
    readonly receivedBefore: number;
  }): number;
  /**
   * Erases what single rows hold, payload and id; their numbers stay, because none may be left out. @returns whether
   * it cannot be read from the inbox's files any more.
   */
  erase(input: { readonly connection: string; readonly seqs: readonly number[] }): boolean;
  /**
   * Forgets event ids of the hours that were over at a time (Unix ms), at most `transactionRowsMax` of them.
   * @returns how many; 0 when none is left.
   */
  forgetIds(input: { readonly receivedBefore: number }): number;
}

/** What an inbox is opened for: one that is only read need not be one that can be written. */
export type InboxUse = { readonly onlyReads?: boolean };

/** An inbox in a thread of its own. */
export type Inbox = Remote<Omit<InboxMethods, "keep">> & {
  /** Random, made with the inbox: sequence numbers mean nothing to another one. */
  readonly inboxId: string;
  /**
   * Keeps a delivery; those that come while one is being written share the next write.
   * @throws {StateUnavailableError} it may not be said to be kept.
   */
  keep(delivery: Delivery): Promise<Verdict>;
  close(): Promise<void>;
};

/** What a source reads of an inbox. */
export type InboxReading = Pick<InboxMethods, "read" | "get"> & {
  /** The last sequence number that a connection has given out; 0 for none. */
  readonly last: (connection: string) => number;
  /** How many events of `(after, upTo]` are there. */
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

import type { Logger } from "pino";

import { messageOf } from "../errors.ts";
import type { Inbox, Backlog } from "../inbox/inbox.ts";
import { receiverLookMs, receiverRestMs, inboxLateMs } from "./limits.ts";

/**
 * Knows, without a query, whether the inbox can be written and how much waits in it. It looks every second, and counts
 * the events that the receiver keeps in between. For late events it wakes the drain again: the process that had to wake
 * it may be dead, and the schedule of the checks gone.
 */
export class BacklogWatch {
  readonly #inbox: Inbox;
  readonly #log: Logger;
  readonly #connections: readonly string[];
  readonly #wake: (connection: string) => void;
  /** When a connection was last woken for late events, by `performance.now()`. */
  readonly #wokenAtMs = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #backlogs: ReadonlyMap<string, Backlog> = new Map();
  /**
   * Events kept since before the backlogs were read: events that both count make the backlog larger for a second, never
   * smaller.
   */
  #kept = new Map<string, number>();
  #isLooking = false;
  /** When the next delivery is tried after a write failed, by `performance.now()`; undefined while writes succeed. */
  #retryAtMs: number | undefined;

  constructor(parts: {
    readonly inbox: Inbox;
    readonly log: Logger;
    /** The connections that are pushed to here; the row of the first is written to see whether a write succeeds. */
    readonly connections: readonly string[];
    readonly wake: (connection: string) => void;
  }) {
    this.#inbox = parts.inbox;
    this.#log = parts.log;
    this.#connections = parts.connections;
    this.#wake = parts.wake;
    this.#timer = setInterval(() => void this.look(), receiverLookMs).unref();
  }

  get isStoreOk(): boolean {
    return this.#retryAtMs === undefined;
  }

  /** Events of a connection that wait to be sent, as far as is known. */
  waiting(connection: string): number {
    const waiting = this.#backlogs.get(connection)?.waiting ?? 0;
    return waiting + (this.#kept.get(connection) ?? 0);
  }

  /** How long the oldest event of a connection had waited at the last look; 0 for none. */
  oldestMs(connection: string): number {
    return Math.max(0, this.#backlogs.get(connection)?.oldestMs ?? 0);
  }

  /** Whether a delivery may be tried: always, or after a failed write once every `receiverRestMs`. */
  mayTry(): boolean {
    if (this.#retryAtMs === undefined) return true;
    const nowMs = performance.now();
    if (nowMs < this.#retryAtMs) return false;
    this.#retryAtMs = nowMs + receiverRestMs;
    return true;
  }

  /** Notes that a write succeeded. */
  kept(connection: string, events: number): void {
    this.#kept.set(connection, (this.#kept.get(connection) ?? 0) + events);
    if (this.#retryAtMs === undefined) return;
    this.#retryAtMs = undefined;
    this.#log.info("the inbox can be written again");
  }

  /** Notes that a write failed. */
  failed(error: unknown): void {
    if (this.#retryAtMs === undefined) {
      this.#log.error(`deliveries are refused, the inbox cannot be written: ${messageOf(error)}`);
    }
    this.#retryAtMs = performance.now() + receiverRestMs;
  }

  /**
   * Reads the state of the inbox and, after a failed write or read, tries a write: there may be no delivery to try,
   * because a failing `/readyz` keeps senders away.
   */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const before = new Map(this.#kept);
    try {
      if (!this.isStoreOk) await this.#probe();
      const backlogs = await this.#inbox.backlogs();
      this.#backlogs = new Map(backlogs.map((backlog) => [backlog.connection, backlog]));
      this.#wakeForLate();
      for (const [connection, events] of before) {
        this.#kept.set(connection, (this.#kept.get(connection) ?? 0) - events);
      }
    } catch {
      // Only a write shows whether the inbox can be written. A failed read is repeated in a second.
      if (this.isStoreOk) await this.#probe();
    } finally {
      this.#isLooking = false;
    }
  }

  #wakeForLate(): void {
    const nowMs = performance.now();
    for (const connection of this.#connections) {
      const wokenAtMs = this.#wokenAtMs.get(connection) ?? -Infinity;
      if (this.oldestMs(connection) <= inboxLateMs || nowMs - wokenAtMs <= inboxLateMs) continue;
      this.#wokenAtMs.set(connection, nowMs);
      this.#wake(connection);
    }
  }

  async #probe(): Promise<void> {
    const [connection] = this.#connections;
    if (connection === undefined) return;
    const delivery = { connection, events: [] };
    await this.#inbox.keep(delivery).then(
      () => this.kept(delivery.connection, 0),
      (error: unknown) => this.failed(error),
    );
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

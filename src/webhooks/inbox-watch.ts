import type { Logger } from "pino";

import { messageOf } from "../errors.ts";
import type { Inbox, Standing } from "../inbox/inbox.ts";
import { receiverLookMs, receiverRestMs } from "../limits.ts";

/**
 * Knows, without asking, whether the inbox can be written and how much waits in it. It looks every second, and counts what the
 * receiver keeps in between.
 */
export class InboxWatch {
  readonly #inbox: Inbox;
  readonly #log: Logger;
  readonly #connection: string | undefined;
  readonly #timer: NodeJS.Timeout;
  #standings: ReadonlyMap<string, Standing> = new Map();
  /** Events kept since before the standings were read: those that both hold make the backlog larger for a second, never smaller. */
  #kept = new Map<string, number>();
  #isLooking = false;
  /** When the next delivery is tried after a write failed, by `performance.now()`; undefined while writes succeed. */
  #retryAtMs: number | undefined;

  constructor(parts: {
    readonly inbox: Inbox;
    readonly log: Logger;
    /** The connection whose row is written to see whether a write succeeds. */
    readonly connection: string | undefined;
  }) {
    this.#inbox = parts.inbox;
    this.#log = parts.log;
    this.#connection = parts.connection;
    this.#timer = setInterval(() => void this.look(), receiverLookMs).unref();
  }

  get isStoreOk(): boolean {
    return this.#retryAtMs === undefined;
  }

  /** Events of a connection that wait to be sent, as far as is known. */
  waiting(connection: string): number {
    const waiting = this.#standings.get(connection)?.waiting ?? 0;
    return waiting + (this.#kept.get(connection) ?? 0);
  }

  /** When the oldest of them came, Unix ms; undefined for none. */
  oldestAt(connection: string): number | undefined {
    return this.#standings.get(connection)?.oldestAt ?? undefined;
  }

  /** Whether a delivery may be tried: always, or once a moment after a write failed. */
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

  /** Reads how the inbox stands and, after a write failed, tries one: nobody may be posting, and `/readyz` sends nobody. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const before = new Map(this.#kept);
    try {
      if (!this.isStoreOk) await this.#probe();
      const standings = await this.#inbox.standings();
      this.#standings = new Map(standings.map((standing) => [standing.connection, standing]));
      for (const [connection, events] of before) {
        this.#kept.set(connection, (this.#kept.get(connection) ?? 0) - events);
      }
    } catch {
      // Only a write says whether the inbox can be written. What cannot be read is looked at again in a second.
    } finally {
      this.#isLooking = false;
    }
  }

  async #probe(): Promise<void> {
    if (this.#connection === undefined) return;
    const delivery = { connection: this.#connection, receivedAt: Date.now(), events: [] };
    await this.#inbox.keep(delivery).then(
      () => this.kept(delivery.connection, 0),
      (error: unknown) => this.failed(error),
    );
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

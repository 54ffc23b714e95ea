import { type Posting, PosterConnection } from "./poster-connection.ts";

/** What is posted, and how. */
export type PosterSettings = {
  readonly port: number;
  readonly connections: number;
  /** Makes the request of a delivery, by its number from 0; undefined if there are no more. */
  readonly make: (number: number) => Buffer | undefined;
  /** @default as many as are answered */
  readonly perSecond?: number | undefined;
};

type Delivery = Posting & {
  readonly number: number;
  readonly startedMs: number;
  readonly isRepeated: boolean;
};

type Waiter = {
  readonly isMet: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
};

/** Shorter than the receiver asks for, so that it shows at once when the receiver takes deliveries again. */
const refusedMs = 100;

/**
 * Posts deliveries on many connections, each as soon as the previous one was answered. A delivery that got no answer,
 * or a 503, is posted again, byte for byte, until it is acknowledged; only a 2xx acknowledges. The caller finishes it.
 */
export class Poster {
  /** Answers: 202 kept, 200 known already, 503 refused; and connections that ended while waiting for one. */
  readonly counts = { kept: 0, known: 0, refused: 0, unanswered: 0 };
  /** By a delivery's number: when its 2xx arrived, in Unix ms. */
  readonly acknowledgedAt: number[] = [];
  /** From the first byte of a delivery to its 2xx, for deliveries that were posted once. */
  readonly latenciesMs: number[] = [];
  readonly #make: PosterSettings["make"];
  readonly #connections: readonly PosterConnection<Delivery>[];
  readonly #idle = new Set<PosterConnection<Delivery>>();
  readonly #again: Delivery[] = [];
  readonly #waiters = new Set<Waiter>();
  #timer: NodeJS.Timeout | undefined;
  #pushed = 0;
  #isOver = false;
  #failure: Error | undefined;

  constructor({ port, connections, make, perSecond }: PosterSettings) {
    this.#make = make;
    this.pace(perSecond);
    this.#connections = Array.from({ length: connections }, () => {
      const connection: PosterConnection<Delivery> = new PosterConnection(port, {
        idle: () => {
          this.#idle.add(connection);
          this.#postOn(connection);
        },
        answered: (delivery, status) => this.#take(delivery, status),
        ended: (delivery) => {
          this.#idle.delete(connection);
          if (delivery === undefined) return;
          this.counts.unanswered += 1;
          this.#repeat(delivery);
        },
      });
      return connection;
    });
  }

  /** Deliveries that were acknowledged. */
  get acknowledged(): number {
    return this.counts.kept + this.counts.known;
  }

  /** Posts this many new deliveries a second from now on; undefined: as many as are answered. */
  pace(perSecond: number | undefined): void {
    clearInterval(this.#timer);
    this.#timer =
      perSecond === undefined
        ? undefined
        : setInterval(() => {
            const [connection] = this.#idle;
            if (connection !== undefined) this.#send(connection, this.#new());
          }, 1_000 / perSecond);
    for (const connection of this.#idle) this.#postOn(connection);
  }

  /** Resolves in the turn in which this many are acknowledged. @throws a delivery got an answer that no retry fixes. */
  async acknowledges(count: number): Promise<void> {
    await this.#until(() => this.acknowledged >= count);
  }

  /** The same for deliveries that are answered with 503. */
  async refuses(count: number): Promise<void> {
    await this.#until(() => this.counts.refused >= count);
  }

  /** Posts nothing new, and resolves once everything posted is acknowledged. @throws as `acknowledges` does. */
  async finish(): Promise<void> {
    this.#isOver = true;
    await this.#until(() => this.acknowledged === this.#pushed).finally(() => this.close());
  }

  /** Ends at once. */
  close(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    for (const connection of this.#connections) connection.close();
  }

  #postOn(connection: PosterConnection<Delivery>): void {
    const isPaced = this.#timer !== undefined;
    this.#send(connection, this.#again.shift() ?? (isPaced ? undefined : this.#new()));
  }

  #send(connection: PosterConnection<Delivery>, delivery: Delivery | undefined): void {
    if (delivery === undefined) return;
    this.#idle.delete(connection);
    connection.send(delivery);
  }

  #new(): Delivery | undefined {
    const request = this.#isOver ? undefined : this.#make(this.#pushed);
    if (request === undefined) return undefined;
    this.#pushed += 1;
    const number = this.#pushed - 1;
    return { number, request, startedMs: performance.now(), isRepeated: false };
  }

  #take(delivery: Delivery, status: number): void {
    if (status === 503) {
      this.counts.refused += 1;
      setTimeout(() => this.#repeat(delivery), refusedMs);
    } else if (status === 408) {
      // The receiver's answer as it closes a connection that was idle for long, before it read this request.
      this.counts.unanswered += 1;
      this.#repeat(delivery);
    } else if (status === 202 || status === 200) {
      this.counts[status === 202 ? "kept" : "known"] += 1;
      this.acknowledgedAt[delivery.number] = Date.now();
      if (!delivery.isRepeated) this.latenciesMs.push(performance.now() - delivery.startedMs);
    } else {
      this.#failure = new Error(`delivery ${delivery.number} was answered with ${status}`);
    }
    this.#tellWaiters();
  }

  #repeat(delivery: Delivery): void {
    this.#again.push({ ...delivery, isRepeated: true });
    const [connection] = this.#idle;
    if (connection !== undefined) this.#postOn(connection);
  }

  async #until(isMet: () => boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#waiters.add({ isMet, resolve, reject });
      this.#tellWaiters();
    });
  }

  #tellWaiters(): void {
    for (const waiter of this.#waiters) {
      if (this.#failure === undefined && !waiter.isMet()) continue;
      this.#waiters.delete(waiter);
      if (this.#failure === undefined) waiter.resolve();
      else waiter.reject(this.#failure);
    }
  }
}

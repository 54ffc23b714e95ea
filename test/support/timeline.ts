import { TestClock } from "./test-clock.ts";

type Sleeper = { readonly atMs: number; readonly wake: () => void };

/**
 * Time that passes only while all started work sleeps: real stores and servers answer in no time, and ten minutes take
 * as long as the work in them.
 */
export class Timeline {
  readonly clock = new TestClock();
  readonly #asleep: Sleeper[] = [];
  #awake = 0;
  #onQuiet: (() => void) | undefined;

  /** Starts work in parallel with the rest; it waits only by `sleep`. Its errors are thrown by `run`. */
  start(work: () => Promise<void>): void {
    this.#awake += 1;
    void work()
      .catch((error: unknown) => this.#errors.push(error))
      .finally(() => this.#rest());
  }

  readonly #errors: unknown[] = [];

  /** Waits this many ms of timeline time. */
  readonly sleep = async (ms: number): Promise<void> => {
    await new Promise<void>((wake) => {
      this.#asleep.push({ atMs: this.clock.nowMs + ms, wake });
      this.#rest();
    });
  };

  /** Lets time pass until `isOver`, which is asked before every step, or for at most this many ms. */
  async run(forMs: number, isOver: () => boolean = () => false): Promise<void> {
    const endMs = this.clock.nowMs + forMs;
    for (;;) {
      await this.#quiet();
      if (this.#errors.length > 0) throw this.#errors[0];
      if (isOver()) return;
      this.#asleep.sort((one, other) => one.atMs - other.atMs);
      const [next] = this.#asleep;
      if (next === undefined || next.atMs > endMs) break;
      this.#asleep.shift();
      this.clock.nowMs = Math.max(this.clock.nowMs, next.atMs);
      this.#awake += 1;
      next.wake();
    }
    this.clock.nowMs = endMs;
  }

  #rest(): void {
    this.#awake -= 1;
    if (this.#awake === 0) this.#onQuiet?.();
  }

  async #quiet(): Promise<void> {
    if (this.#awake > 0) await new Promise<void>((resolve) => (this.#onQuiet = resolve));
  }
}

/** Draws from 0 to 1, the same each time for a seed (Park and Miller). */
export function drawsFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

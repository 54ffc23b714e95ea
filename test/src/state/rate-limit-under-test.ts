import type { LimitEvent, PermitAnswer } from "../../../src/state/contract/rate-limit.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { numbers } from "../../support/sequences.ts";
import { TestClock } from "../../support/test-clock.ts";
import { StoreUnderTest } from "./store-under-test.ts";

/** The limit whose permits are requested. */
export const limit = "api:1";

/** A request for a permit. */
export type Asking = {
  readonly token?: string;
  /** @default 1 */
  readonly priority?: number;
  /** @default 10 */
  readonly perSecond?: number;
};

/** A store, both clocks, and one rate limit. */
export class RateLimitUnderTest {
  readonly store: StateStore;
  readonly clock = new TestClock();

  private constructor(store: StateStore) {
    this.store = store;
  }

  static async open(open: (folder: string) => Promise<StateStore>): Promise<RateLimitUnderTest> {
    return new RateLimitUnderTest((await StoreUnderTest.open(open)).store);
  }

  async acquire({ token, priority = 1, perSecond = 10 }: Asking = {}): Promise<PermitAnswer> {
    const limits = [limit, "api:1:ingestion"] as const;
    const ask = { limits, perSecond, waitMaxMs: 1_000, token, priority };
    return await this.store.acquirePermit({ ...ask, ...this.clock.moment() });
  }

  /** Takes the eleven permits that a caller may sleep for. */
  async acquireAll(): Promise<void> {
    for (const _ of numbers(11)) await this.acquire();
  }

  async note(event: LimitEvent): Promise<{ readonly times: number; readonly forMs: number }> {
    const row = await this.store.noteLimit({ limit, event, ...this.clock.moment() });
    return { times: row.throttled, forMs: row.throttledAt - row.throttledSince };
  }

  async end(kind: "succeeded" | "failed" | "undecided", isProbe = false): Promise<void> {
    await this.note({ kind, isProbe, why: "503" });
  }

  async fail(times: number): Promise<void> {
    for (const _ of numbers(times)) await this.end("failed");
  }

  async blockFor(forMs: number): Promise<void> {
    await this.note({ kind: "blocked", forMs, why: "429" });
  }
}

/** The wait of an answer that came neither from a block nor from the breaker. */
export function waitOf(answer: PermitAnswer): number {
  if ("granted" in answer) return answer.waitMs;
  throw new Error(`nobody may leave: ${JSON.stringify(answer)}`);
}

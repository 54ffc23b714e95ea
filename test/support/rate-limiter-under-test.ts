import { onTestFinished } from "vitest";

import type { Permit, RateLimiter, Scope } from "../../src/api/rate-limiter.ts";
import { Secret } from "../../src/security/secret.ts";
import { StoreRateLimiter } from "../../src/service/rate-limiter.ts";
import type { Requester } from "../../src/service/requester.ts";
import type { StateStore } from "../../src/state/state-store.ts";
import { temporaryFolder } from "./process/temporary-folder.ts";
import { openStoreInline } from "./project/inline-threads.ts";
import { TestClock } from "./test-clock.ts";

/** The scopes of a client. */
export const ingestion: Scope = { kind: "api", family: "ingestion" };
export const legacy: Scope = { kind: "api", family: "legacy" };
export const storage: Scope = { kind: "storage", host: "storage.example" };

/** The signal of a request that is never cancelled. */
export const never: AbortSignal = new AbortController().signal;

/** A permit for an ordinary request. */
export function permit(scope: Scope): Permit {
  return { scope, isProbe: false };
}

/** A requester, with nothing in its tally. */
export function requester(changes: Partial<Requester> = {}): Requester {
  return { tally: { requests: 0, waitedMs: 0 }, ...changes };
}

/** A store, a stopped clock, and rate limiters on them: one for each worker. */
export class RateLimiterUnderTest {
  readonly clock = new TestClock();
  /** The value of the next draws. */
  drawn = 0.5;
  readonly state: StateStore;

  private constructor(state: StateStore) {
    this.state = state;
  }

  static async open(): Promise<RateLimiterUnderTest> {
    const state = await openStoreInline(await temporaryFolder());
    onTestFinished(async () => await state.close());
    return new RateLimiterUnderTest(state);
  }

  worker(changes: { readonly key?: string; readonly perSecond?: number } = {}): RateLimiter {
    return new StoreRateLimiter({
      state: this.state,
      apiKey: new Secret(changes.key ?? "key"),
      requestsPerSecond: changes.perSecond ?? 1_000_000,
      creditsRetryAfterMs: 86_400_000,
      clock: this.clock.moment,
      random: () => this.drawn,
    });
  }

  /** The outcome of asking for a permit; a short wait ends at once. */
  async acquired(limiter: RateLimiter | undefined, scope: Scope): Promise<unknown> {
    return await limiter?.acquire(scope, AbortSignal.abort()).then(
      () => "acquired",
      (error: unknown) => error,
    );
  }
}

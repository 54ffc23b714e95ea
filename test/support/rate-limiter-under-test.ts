import { onTestFinished } from "vitest";

import type { Gate, Pace, Pass } from "../../src/api/rate-limiter.ts";
import { Secret } from "../../src/security/secret.ts";
import { createStorePace } from "../../src/service/rate-limiter.ts";
import type { Requester } from "../../src/service/requester.ts";
import type { StateStore } from "../../src/state/state-store.ts";
import { openStoreInline } from "./inline-threads.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { TestClock } from "./test-clock.ts";

/** The three gates of a client. */
export const ingestion: Gate = { kind: "api", family: "ingestion" };
export const legacy: Gate = { kind: "api", family: "legacy" };
export const storage: Gate = { kind: "storage", host: "storage.example" };

/** Of a request that is never cancelled. */
export const never: AbortSignal = new AbortController().signal;

/** Of a request like any other. */
export const pass: Pass = { isProbe: false };

/** One who makes requests, with nothing on the bill. */
export function requester(changes: Partial<Requester> = {}): Requester {
  return { tally: { requests: 0, waitedMs: 0 }, ...changes };
}

/** A store, a clock that stands still, and paces on them: one for each worker. */
export class PaceUnderTest {
  readonly clock = new TestClock();
  /** What the next draws give. */
  drawn = 0.5;
  readonly state: StateStore;

  private constructor(state: StateStore) {
    this.state = state;
  }

  static async open(): Promise<PaceUnderTest> {
    const state = await openStoreInline(await temporaryFolder());
    onTestFinished(async () => await state.close());
    return new PaceUnderTest(state);
  }

  worker(changes: { readonly key?: string; readonly perSecond?: number } = {}): Pace {
    return createStorePace({
      state: this.state,
      apiKey: new Secret(changes.key ?? "key"),
      requestsPerSecond: changes.perSecond ?? 1_000_000,
      creditsRetryMs: 86_400_000,
      clock: this.clock.moment,
      random: () => this.drawn,
    });
  }

  /** What asking to enter ends with; a short wait ends at once. */
  async entered(pace: Pace | undefined, gate: Gate): Promise<unknown> {
    return await pace?.enter(gate, AbortSignal.abort()).then(
      () => "entered",
      (error: unknown) => error,
    );
  }
}

import { beforeEach, describe, expect, it, onTestFinished } from "vitest";

import type { Moment } from "../../../../src/clock.ts";
import { runEffect } from "../../../../src/effect.ts";
import { RateLimitedError } from "../../../../src/errors.ts";
import { Secret } from "../../../../src/security/secret.ts";
import { keyName } from "../../../../src/service/key-limits.ts";
import { StoreRateLimiter } from "../../../../src/service/rate-limiter.ts";
import type { PermitAnswer } from "../../../../src/state/contract/rate-limit.ts";
import { openPostgresMethods } from "../../../../src/state/postgres/open-methods.ts";
import { asStoreError } from "../../../../src/state/postgres/store-error.ts";
import type { StateStore } from "../../../../src/state/state-store.ts";
import { answerAtOnce } from "../../../../src/thread.ts";
import { schemaOf } from "../../../support/project/inline-postgres.ts";
import { answeredHere } from "../../../support/project/inline-threads.ts";
import { ingestion, never } from "../../../support/rate-limiter-under-test.ts";
import { numbers } from "../../../support/sequences.ts";
import { at, name, StoreUnderTest } from "../store-under-test.ts";

const hourMs = 3_600_000;
const apiKey = new Secret("key");

/** A host: the store as it opens it, and its clocks, which are off by this much. */
class Host {
  readonly store: StateStore;
  readonly #aheadMs: number;

  private constructor(store: StateStore, aheadMs: number) {
    this.store = store;
    this.#aheadMs = aheadMs;
  }

  static async open(folder: string, aheadMs: number): Promise<Host> {
    const server = await schemaOf(folder);
    const opened = await openPostgresMethods(server);
    const answer = answerAtOnce(opened.methods, (error) => asStoreError(error, server));
    const store = answeredHere({ ...opened, answer }, runEffect);
    onTestFinished(async () => await store.close());
    return new Host(store, aheadMs);
  }

  readonly clock = (): Moment => {
    const nowMs = Date.now() + this.#aheadMs;
    return { nowMs, boot: { id: `boot ${this.#aheadMs}`, upMs: nowMs } };
  };

  limiter(requestsPerSecond: number): StoreRateLimiter {
    const { clock, store: state } = this;
    return new StoreRateLimiter({
      state,
      apiKey,
      requestsPerSecond,
      creditsRetryAfterMs: hourMs,
      clock,
    });
  }
}

async function acquire({ store, clock }: Host): Promise<PermitAnswer> {
  const ask = { limits: ["api:1"], perSecond: 0.1, waitMaxMs: hourMs, priority: 1 } as const;
  return await store.acquirePermit({ ...ask, ...clock() });
}

describe("two hosts whose clocks are ten hours apart, on one store in Postgres", () => {
  let folder: string;
  let behind: Host;
  let ahead: Host;

  beforeEach(async () => {
    folder = `two clocks ${Math.random()}`;
    behind = await Host.open(folder, -5 * hourMs);
    ahead = await Host.open(folder, 5 * hourMs);
  });

  it.each([
    ["behind", "ahead"],
    ["ahead", "behind"],
  ] as const)("a 429 that the host %s was given holds back the one %s", async (told, other) => {
    const hosts = { behind, ahead };
    const { store, clock } = hosts[told];
    const event = { kind: "blocked", forMs: 30_000, why: "429" } as const;
    await store.noteLimit({ limit: `api:${keyName(apiKey)}`, event, ...clock() });
    const limiter = hosts[other].limiter(1_000);
    const refusal: unknown = await limiter
      .acquire(ingestion, never)
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RateLimitedError);
    const waitMs = refusal instanceof RateLimitedError ? refusal.retryAfterMs : Number.NaN;
    expect(waitMs).toBeGreaterThan(10_000);
    expect(waitMs).toBeLessThanOrEqual(30_000);
    // A person reads it by the clock of the host that shows it.
    const nowMs = hosts[other].clock().nowMs;
    const [limit] = await hosts[other].store.rateLimits(hosts[other].clock());
    expect(Math.abs((limit?.blockedUntil ?? 0) - nowMs)).toBeLessThanOrEqual(30_000);
  });

  it("one rate: those who ask at once get permits one after the other", async () => {
    // The first call makes the row, which takes longer than the later ones.
    await acquire(behind);
    const permits = await Promise.all(
      numbers(20).map(async (n) => {
        const answer = await acquire(n % 2 === 0 ? behind : ahead);
        const askedAt = performance.now();
        return "granted" in answer && answer.granted ? askedAt + answer.waitMs : Number.NaN;
      }),
    );
    const [first = 0, ...later] = permits.toSorted((a, b) => a - b);
    // The answers take a moment each, and not the same one.
    later.forEach((due, before) =>
      expect(due - first).toBeGreaterThan((before + 1) * 10_000 - 9_000),
    );
    expect(Math.max(...later) - first).toBeGreaterThan(190_000 - 9_000);
  });

  it("a worker that beats lives for both, so that its run keeps its lock", async () => {
    const beat = { hostId: "h", process: "1", temporalId: "t", version: "1" };
    await behind.store.beat({ ...beat, lastBeat: behind.clock().nowMs });
    for (const { store, clock } of [behind, ahead]) {
      const { nowMs } = clock();
      expect(await store.beats({ nowMs, withinMs: 60_000 })).toMatchObject([beat]);
      expect(await store.beats({ nowMs, withinMs: -1 })).toEqual([]);
    }
  });

  it("a request is in doubt for its own time, whoever notes that it ended", async () => {
    const test = StoreUnderTest.of(folder, behind.store);
    await test.openRun("r1");
    const { stage } = await test.stage("r1", 1);
    const part = { runId: "r1", chunk: 1, stage, part: 0, at, form: "body", host: "h" } as const;
    const window = { deadlineMs: 30_000, restMs: 60_000 };
    const sender = { process: "p", stream: "account", now: behind.clock() };
    const { request } = await behind.store.beginPart({
      ...part,
      request: { ...sender, ...window },
    });
    await ahead.store.endRequest({ number: request ?? 0, now: ahead.clock() });
    for (const { store, clock } of [behind, ahead]) {
      const { pendingMs = Number.NaN } = await store.doubtFacts({ ...name, now: clock() });
      expect(pendingMs).toBeGreaterThan(80_000);
      expect(pendingMs).toBeLessThanOrEqual(90_000);
    }
  });

  it("faults of a chunk are in a row, whichever host met them", async () => {
    const fault = { runId: "r1", chunk: 1, fault: "a" };
    await behind.store.countFault({ ...fault, now: behind.clock() });
    const counted = await ahead.store.countFault({ ...fault, now: ahead.clock() });
    expect(counted.times).toBe(2);
    expect(counted.forMs).toBeLessThan(60_000);
  });
});

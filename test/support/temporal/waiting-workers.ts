import { join } from "node:path";

import { onTestFinished } from "vitest";

import { createApiClient, type ApiClient } from "../../../src/api/client.ts";
import { RateLimitedError, SluiceError } from "../../../src/errors.ts";
import type { SandboxFault } from "../../../src/sandbox/faults/faults.ts";
import { startSandbox, type Sandbox } from "../../../src/sandbox/http/server.ts";
import { Secret } from "../../../src/security/secret.ts";
import { StoreRateLimiter } from "../../../src/service/rate-limiter.ts";
import { requestingAs } from "../../../src/service/requester.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { temporaryFolder } from "../process/temporary-folder.ts";
import { openStoreInline } from "../project/inline-threads.ts";
import { drawsFrom, Timeline } from "../timeline.ts";

/** Requests a second that the workers may make together. */
export const perSecond = 10;

/** How long a request takes to arrive. */
export const latencyMs = 150;

const never = new AbortController().signal;

/**
 * Two workers on one store, each with a rate limiter and a client of its own, and a sandbox that can be taken down.
 * Attempts wait as they do in Temporal: for the delay that their failure gives, otherwise with full jitter from 1 s to
 * 60 s.
 */
export class WaitingWorkers {
  readonly timeline = new Timeline();
  readonly state: StateStore;
  /** When requests left, in ms since the beginning. */
  readonly left: number[] = [];
  /** When requests were accepted. */
  readonly accepted: number[] = [];
  /** How often an attempt was sent away with a delay. */
  told = 0;
  readonly #random = drawsFrom(7);
  readonly #dataFolder: string;
  readonly #clients: readonly ApiClient[];
  readonly #startMs = this.timeline.clock.nowMs;
  #sandbox: Sandbox;
  #isUp = true;

  private constructor(parts: { state: StateStore; sandbox: Sandbox; folder: string }) {
    this.state = parts.state;
    this.#sandbox = parts.sandbox;
    this.#dataFolder = parts.folder;
    this.#clients = [this.#client(), this.#client()];
    onTestFinished(async () => {
      await Promise.all(this.#clients.map(async (client) => await client.close()));
      await this.stopService();
      await parts.state.close();
    });
  }

  static async open(): Promise<WaitingWorkers> {
    const folder = await temporaryFolder();
    const state = await openStoreInline(join(folder, "state"));
    const sandbox = await startSandbox({ host: "127.0.0.1", port: 0, dataFolder: folder });
    return new WaitingWorkers({ state, sandbox, folder });
  }

  get nowMs(): number {
    return this.timeline.clock.nowMs - this.#startMs;
  }

  /** Starts this many attempts, which repeat forever, half of them in each worker. */
  start(attempts: number): void {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const client = this.#clients[attempt % this.#clients.length];
      if (client !== undefined) {
        this.timeline.start(async () => await this.#repeat(client, `attempt ${attempt}`));
      }
    }
  }

  /** Takes the service down: nothing listens at its address. */
  async stopService(): Promise<void> {
    if (this.#isUp) await this.#sandbox.close();
    this.#isUp = false;
  }

  /** Restarts the service at its address, with these faults and no others. */
  async restartService(faults: readonly SandboxFault[] = []): Promise<void> {
    await this.stopService();
    const { port } = new URL(this.#sandbox.address);
    const where = { host: "127.0.0.1", port: Number(port), dataFolder: this.#dataFolder };
    this.#sandbox = await startSandbox({ ...where, faults });
    this.#isUp = true;
  }

  /** Requests that left in a span of ms since the beginning. */
  leftBetween(fromMs: number, toMs: number): number {
    return this.left.filter((atMs) => atMs >= fromMs && atMs < toMs).length;
  }

  /** Requests that were accepted in the last `ms` milliseconds. */
  acceptedWithin(ms: number): number {
    return this.accepted.filter((atMs) => atMs >= this.nowMs - ms).length;
  }

  #client(): ApiClient {
    const { sleep, clock } = this.timeline;
    const apiKey = new Secret("canary-key");
    const rateLimiter = new StoreRateLimiter({
      state: this.state,
      apiKey,
      requestsPerSecond: perSecond,
      creditsRetryAfterMs: 86_400_000,
      clock: clock.moment,
      random: this.#random,
      sleep,
    });
    const address = new URL(this.#sandbox.address);
    return createApiClient({
      baseUrl: address,
      legacyBaseUrl: address,
      apiKey,
      allowInsecureHosts: [],
      rateLimiter,
      now: () => clock.nowMs,
      effect: async (_, work) => {
        this.left.push(this.nowMs);
        await sleep(latencyMs);
        return await work();
      },
    });
  }

  async #repeat(client: ApiClient, name: string): Promise<void> {
    for (let failures = 0; ;) {
      try {
        await this.#once(client, name);
        this.accepted.push(this.nowMs);
        failures = 0;
      } catch (error) {
        if (!(error instanceof SluiceError) || !error.retryable) throw error;
        this.told += 1;
        if (error instanceof RateLimitedError) await this.timeline.sleep(error.retryAfterMs);
        else {
          const longestMs = Math.min(60_000, 1_000 * 2 ** failures);
          await this.timeline.sleep(Math.max(1_000, this.#random() * longestMs));
          failures += 1;
        }
      }
    }
  }

  async #once(client: ApiClient, token: string): Promise<void> {
    const asking = { token, kind: "sync", tally: { requests: 0, waitedMs: 0 } };
    await requestingAs(
      asking,
      async () => await client.generateUploadUrl({ stream: "account", signal: never }),
    );
  }
}

import type { Health } from "../../../src/state/rules/breaker.ts";
import type { SlotAnswer } from "../../../src/state/sqlite/rate-limit.ts";
import type { StateStore } from "../../../src/state/state-store.ts";
import { numbers } from "../../support/sequences.ts";
import { TestClock } from "../../support/test-clock.ts";
import { StoreUnderTest } from "./store-under-test.ts";

/** The gate that is asked at. */
export const gate = "api:1";

/** One who asks for a slot. */
export type Asking = {
  readonly ticket?: string;
  /** @default 1 */
  readonly priority?: number;
  /** @default 10 */
  readonly perSecond?: number;
};

/** A store, both clocks, and one gate with its budget. */
export class BudgetUnderTest {
  readonly store: StateStore;
  readonly clock = new TestClock();

  private constructor(store: StateStore) {
    this.store = store;
  }

  static async open(open: (folder: string) => Promise<StateStore>): Promise<BudgetUnderTest> {
    return new BudgetUnderTest((await StoreUnderTest.open(open)).store);
  }

  async take({ ticket, priority = 1, perSecond = 10 }: Asking = {}): Promise<SlotAnswer> {
    const gates = { gate, gates: [gate, "api:1:ingestion"], perSecond, waitMaxMs: 1_000 };
    return await this.store.takeSlot({ ...gates, ticket, priority, ...this.clock.moment() });
  }

  /** Takes the eleven slots that may be slept for. */
  async takeAll(): Promise<void> {
    for (const _ of numbers(11)) await this.take();
  }

  async end(outcome: Health, isProbe = false): Promise<void> {
    await this.store.noteOutcome({ gate, outcome, isProbe, why: "503", ...this.clock.moment() });
  }

  async fail(times: number): Promise<void> {
    for (const _ of numbers(times)) await this.end("failed");
  }

  async closeFor(ms: number): Promise<void> {
    const untilMs = this.clock.nowMs + ms;
    await this.store.closeGate({ gate, untilMs, why: "429", ...this.clock.moment() });
  }

  async slowDown(): Promise<object> {
    return await this.store.countSlowDown({ gate, ...this.clock.moment() });
  }
}

/** The wait of an answer that is none of a shut gate. */
export function waitOf(answer: SlotAnswer): number {
  if ("granted" in answer) return answer.waitMs;
  throw new Error(`the gate is shut: ${JSON.stringify(answer)}`);
}

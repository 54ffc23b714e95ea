import { createHash } from "node:crypto";

import type { Step } from "../steps.ts";
import type { SandboxFault, FaultAction } from "./faults.ts";

/** A request as the orders see it. */
export type Request = {
  readonly step: Step;
  /** What the request is about, worded the same in every run, so that the same requests are hit in any order. */
  readonly operation: string;
};

/** The ordered faults, and how often each may still happen. */
export class FaultOrders {
  readonly #orders: Order[] = [];
  readonly #seed: number;

  /** The seed decides which requests a fault with `oneIn` hits. */
  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Adds a fault after those of the same step. */
  order(fault: SandboxFault): void {
    this.#orders.push(new Order(fault, `${this.#seed} ${this.#orders.length}`));
  }

  /** Counts a request, and returns the fault that hits it: of several that are due, the one ordered first. */
  next(request: Request): FaultAction | undefined {
    let hit: FaultAction | undefined;
    for (const order of this.#orders) {
      if (order.fault.step !== request.step) continue;
      const isDue = order.isDue(request);
      if (!isDue || hit !== undefined) continue;
      order.take();
      hit = order.fault.do;
    }
    return hit;
  }
}

class Order {
  readonly fault: SandboxFault;
  readonly #salt: string;
  readonly #occurrences = new Map<string, number>();
  #passed = 0;
  #left: number;
  #endsAtMs: number | undefined;

  constructor(fault: SandboxFault, salt: string) {
    this.fault = fault;
    this.#salt = salt;
    const isOpen = fault.oneIn !== undefined || fault.forMs !== undefined;
    this.#left = fault.times ?? (isOpen ? Infinity : 1);
  }

  /** Counts a request of the step, and says whether it may be hit. */
  isDue({ operation }: Request): boolean {
    this.#passed += 1;
    const isDrawn = this.#isDrawn(operation);
    if (this.#passed <= (this.fault.after ?? 0) || this.#left === 0 || this.#isOver()) return false;
    return isDrawn;
  }

  take(): void {
    this.#left -= 1;
  }

  #isOver(): boolean {
    const { forMs } = this.fault;
    if (forMs === undefined) return false;
    // Monotonic, so that setting the clock does not move the end.
    const nowMs = performance.now();
    this.#endsAtMs ??= nowMs + forMs;
    return nowMs >= this.#endsAtMs;
  }

  /** Draws by a hash of the operation and its count, never by "the k-th request", which depends on concurrency. */
  #isDrawn(operation: string): boolean {
    const { oneIn } = this.fault;
    if (oneIn === undefined) return true;
    const occurrence = (this.#occurrences.get(operation) ?? 0) + 1;
    this.#occurrences.set(operation, occurrence);
    const hash = createHash("sha256").update(`${this.#salt} ${operation} ${occurrence}`).digest();
    return hash.readUIntBE(0, 6) % oneIn === 0;
  }
}

/** The requests that are recorded, and that a fault can be ordered for; an alias counts as the step it stands for. */
export const steps = [
  "ping",
  "upload-json",
  "generate-upload-url",
  "put",
  "confirm-upload",
] as const;

/** One kind of request of the service. */
export type Step = (typeof steps)[number];

/** What goes wrong. */
export type FaultAction =
  /** This answer instead of the real one; nothing is applied. A body that is not text is sent as JSON. */
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** The connection is reset once so many bytes of the body were read, or at its end; nothing is applied. */
  | { readonly resetAt: number }
  /** The request is done, then the connection closes instead of answering. */
  | { readonly dropReply: true }
  /** The request is read whole, then the connection closes; nothing is applied. */
  | { readonly dropRequest: true }
  /** generate-upload-url gives an address that has expired; a PUT finds its address expired. */
  | { readonly expireUrl: true }
  /** The request waits so long before it is done. */
  | { readonly delayMs: number };

/** A fault to come. */
export type Fault = {
  readonly step: Step;
  /** How many requests it hits. @default 1 */
  readonly times?: number;
  /** How many requests of the step, counted from the order on, pass before it. @default 0 */
  readonly after?: number;
  readonly do: FaultAction;
};

/** The faults ordered and not yet done. */
export class FaultOrders {
  readonly #orders: { readonly fault: Fault; passed: number; left: number }[] = [];

  /** Adds a fault behind those of the same step. */
  order(fault: Fault): void {
    this.#orders.push({ fault, passed: 0, left: fault.times ?? 1 });
  }

  /** Counts a request of the step, and gives what shall go wrong with it: of several faults that are due, the first ordered. */
  next(step: Step): FaultAction | undefined {
    let due: FaultAction | undefined;
    for (const order of this.#orders) {
      if (order.fault.step !== step) continue;
      const isDue = order.passed >= (order.fault.after ?? 0) && order.left > 0;
      order.passed += 1;
      if (!isDue || due !== undefined) continue;
      order.left -= 1;
      due = order.fault.do;
    }
    return due;
  }
}

import { describe, expect, it, vi } from "vitest";

import { FaultOrders } from "../../../../src/sandbox/faults/fault-orders.ts";
import type { SandboxFault, Step } from "../../../../src/sandbox/faults/faults.ts";

/** The status of the fault that hits each of these requests of a step; 0 if none does. */
function hits(orders: FaultOrders, operations: readonly string[], step: Step = "put"): number[] {
  return operations.map((operation) => {
    const hit = orders.next({ step, operation });
    return hit !== undefined && "status" in hit ? hit.status : 0;
  });
}

function ordered(faults: readonly SandboxFault[], seed = 0): FaultOrders {
  const orders = new FaultOrders(seed);
  for (const fault of faults) orders.order(fault);
  return orders;
}

const fault = { step: "put", do: { status: 503 } } as const satisfies SandboxFault;
const thousand = Array.from({ length: 1_000 }, (_, number) => `chunk ${number}`);

describe("the fault orders", () => {
  it("hits so many requests of the step, after so many others", () => {
    const orders = ordered([{ ...fault, after: 1, times: 2 }]);
    expect(hits(orders, [""], "ping")).toEqual([0]);
    expect(hits(orders, ["", "", "", ""])).toEqual([0, 503, 503, 0]);
  });

  it("gives of two that are due the first ordered, then the second", () => {
    const orders = ordered([{ ...fault, do: { status: 500 } }, fault]);
    expect(hits(orders, ["", "", ""])).toEqual([500, 503, 0]);
  });

  it("hits about one request in so many, without end or so many times", () => {
    const count = hits(ordered([{ ...fault, oneIn: 20 }]), thousand).filter(Boolean).length;
    expect(count).toBeGreaterThan(25);
    expect(count).toBeLessThan(85);
    expect(hits(ordered([{ ...fault, oneIn: 1 }]), thousand)).not.toContain(0);
    const three = hits(ordered([{ ...fault, oneIn: 20, times: 3 }]), thousand);
    expect(three.filter(Boolean)).toHaveLength(3);
  });

  it("hits the same operations whatever order they come in", () => {
    const [straight, reversed] = [thousand, thousand.toReversed()].map((operations) => {
      const statuses = hits(ordered([{ ...fault, oneIn: 5 }]), operations);
      return operations.filter((_, index) => statuses[index] !== 0).toSorted();
    });
    expect(straight?.length).toBeGreaterThan(100);
    expect(reversed).toEqual(straight);
  });

  it("draws anew for another seed, for another fault and for a repeated operation", () => {
    const first = hits(ordered([{ ...fault, oneIn: 2 }], 1), thousand);
    expect(hits(ordered([{ ...fault, oneIn: 2 }], 1), thousand)).toEqual(first);
    expect(hits(ordered([{ ...fault, oneIn: 2 }], 2), thousand)).not.toEqual(first);
    const pair = ordered(
      [
        { ...fault, step: "ping" },
        { ...fault, oneIn: 2 },
      ],
      1,
    );
    expect(hits(pair, thousand)).not.toEqual(first);
    const repeated = hits(
      ordered([{ ...fault, oneIn: 2 }]),
      thousand.map(() => "the same"),
    );
    expect(new Set(repeated)).toEqual(new Set([0, 503]));
  });

  it("lasts from the first request that it could hit", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const orders = ordered([{ ...fault, forMs: 1_000, after: 1 }]);
      vi.advanceTimersByTime(5_000);
      expect(hits(orders, [""])).toEqual([0]);
      vi.advanceTimersByTime(5_000);
      expect(hits(orders, [""])).toEqual([503]);
      vi.advanceTimersByTime(999);
      expect(hits(orders, [""])).toEqual([503]);
      vi.advanceTimersByTime(1);
      expect(hits(orders, [""])).toEqual([0]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("ends by its number within its time", () => {
    const orders = ordered([{ ...fault, forMs: 60_000, times: 1 }]);
    expect(hits(orders, ["", ""])).toEqual([503, 0]);
  });
});

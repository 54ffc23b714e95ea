import { describe, expect, it } from "vitest";

import { orderedFaultNames, pageFaultNames } from "../../src/sandbox/faults/faults.ts";
import { clockHoursOf, families, moveKinds, planOf, rerunWays, type Plan } from "./plan.ts";
import type { FaultOrder } from "./world/http-faults.ts";

const rows = 5_000;
const hundred = Array.from({ length: 100 }, (_, index) => planOf({ seed: index + 1, rows }));

function ordersOf({ faults, ending, injections, rerun }: Plan): FaultOrder[] {
  const reruns = rerun?.holds ?? [];
  const holds = injections.flatMap(({ at }) => ("hold" in at ? [at.hold] : []));
  return [...faults, ...(ending?.fault === undefined ? [] : [ending.fault]), ...holds, ...reruns];
}

describe("planOf", () => {
  it("makes the same plan of the same seed, and another of another", () => {
    const again = hundred.map(({ seed }) => planOf({ seed, rows }));
    expect(JSON.stringify(again)).toBe(JSON.stringify(hundred));
    const texts = hundred.map((plan) => JSON.stringify({ ...plan, seed: 0 }));
    expect(new Set(texts).size).toBe(hundred.length);
  });

  it("has every fault of requests and processes, both modes and both kinds of service among a hundred seeds", () => {
    const orders = hundred.flatMap(ordersOf);
    // This test pulls nothing, so pages have no faults.
    const pageFaults = new Set<string>(pageFaultNames);
    const names = new Set(orderedFaultNames.filter((name) => !pageFaults.has(name)));
    expect(new Set(orders.map(({ do: name }) => name))).toEqual(names);
    const faults = hundred.flatMap(({ injections }) => injections.map(({ fault }) => fault));
    expect(new Set(faults).size).toBe(5);
    expect(new Set(hundred.map(({ mode }) => mode)).size).toBe(3);
    expect(new Set(hundred.map(({ confirms }) => confirms)).size).toBe(2);
    expect(new Set(hundred.flatMap(({ clockHours }) => clockHours))).toEqual(new Set([-2, 0, 2]));
    expect(hundred.some(({ isDiskFull }) => isDiskFull)).toBe(true);
    expect(hundred.some(({ requestsPerMinute }) => requestsPerMinute !== undefined)).toBe(true);
    expect(hundred.some(({ ending }) => ending?.credits !== undefined)).toBe(true);
    expect(hundred.flatMap(({ ending = [] }) => ending)).toHaveLength(4);
  });

  it("gives a run up in each way, and makes each move, at least ten times among any hundred seeds", () => {
    for (const first of [1, 734_528]) {
      const plans = Array.from({ length: 100 }, (_, index) =>
        planOf({ seed: first + index, rows }),
      );
      const ways = plans.flatMap(({ rerun, move }) => [rerun?.by ?? [], move?.kind ?? []].flat());
      const drawn = Map.groupBy(ways, (way) => way);
      expect(new Set(drawn.keys())).toEqual(new Set<string>([...rerunWays, ...moveKinds]));
      for (const [way, times] of drawn) expect([way, times.length >= 10]).toEqual([way, true]);
    }
  });

  it("makes each move by itself, and has one clock for all workers where a server's steps back", () => {
    const only = Array.from({ length: 2 * moveKinds.length }, (_, seed) =>
      planOf({ seed, rows, only: "source" }),
    );
    expect(only.map(({ move }) => move?.kind)).toEqual([...moveKinds, ...moveKinds]);
    const back = Array.from({ length: 400 }, (_, seed) => planOf({ seed, rows })).filter(
      ({ move }) => move?.kind === "clock-back",
    );
    for (const plan of back) {
      expect(new Set([0, 1, 2].map((worker) => clockHoursOf(plan, worker))).size).toBe(1);
    }
    expect(clockHoursOf({ ...planOf({ seed: 1, rows }), clockHours: [2] }, 1)).toBe(0);
  });

  it("has nothing of the other families when it is restricted to one", () => {
    for (const only of families) {
      const plan = planOf({ seed: 7, rows, only });
      expect({
        kills: plan.injections.length > 0,
        http: plan.faults.length > 0,
        clock: plan.clockHours.some((hours) => hours !== 0),
        disk: plan.isDiskFull,
        rerun: plan.rerun !== undefined,
        source: plan.move !== undefined,
      }).toEqual(Object.fromEntries(families.map((family) => [family, family === only])));
    }
  });
});

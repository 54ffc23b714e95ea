import { describe, expect, it } from "vitest";

import {
  createChunkBudget,
  type ChunkLimits,
  type ChunkBudget,
} from "../../../src/pipeline/chunk-budget.ts";
import { linePage } from "./support.ts";

const wide: ChunkLimits = { records: 1_000, bytes: 1_000_000, rowsRead: 1_000, ms: 1_000 };
const page = linePage(["a", "b", "c"].map((key) => [key, `"${key}"`] as const));
const { candidates: noCandidates } = linePage([]);

function budgetOf(limits: Partial<ChunkLimits>): {
  readonly budget: ChunkBudget;
  readonly clock: { ms: number };
} {
  const clock = { ms: 5_000 };
  return { budget: createChunkBudget({ ...wide, ...limits }, () => clock.ms), clock };
}

describe("createChunkBudget", () => {
  it.each([
    ["records", { records: 4 }, false],
    ["records", { records: 3 }, true],
    ["records", { records: 2 }, true],
    ["rows read", { rowsRead: 4 }, false],
    ["rows read", { rowsRead: 3 }, true],
    ["rows read", { rowsRead: 2 }, true],
    ["bytes", { bytes: 101 }, false],
    ["bytes", { bytes: 100 }, true],
    ["bytes", { bytes: 99 }, true],
  ])("is full by %s after a page of 3 records and 100 bytes with %o: %s", (_, limits, isFull) => {
    const { budget } = budgetOf(limits);
    budget.enter(page);
    budget.leave(page, 100);
    expect(budget.isFull()).toBe(isFull);
    expect(budget.canReadAhead()).toBe(!isFull);
  });

  it.each([
    [999, false],
    [1_000, true],
    [1_001, true],
  ])("is full by time after %i ms of 1,000: %s", (ms, isFull) => {
    const { budget, clock } = budgetOf({});
    clock.ms += ms;
    expect(budget.isFull()).toBe(isFull);
    expect(budget.canReadAhead()).toBe(!isFull);
  });

  it("is never full while a page of it is still judged", () => {
    const { budget } = budgetOf({ records: 1 });
    budget.enter(page);
    budget.enter(page);
    expect(budget.canReadAhead()).toBe(false);
    budget.leave(page, 100);
    expect(budget.isFull()).toBe(false);
    budget.leave(page, 200);
    expect(budget.isFull()).toBe(true);
  });

  it("ends sooner while nothing leaves, but not before it was worth its beginning", () => {
    const unchanged = { ...page, candidates: noCandidates };
    const pass = (
      { budget, clock }: ReturnType<typeof budgetOf>,
      ms: number,
      of: typeof page = unchanged,
    ): void => {
      clock.ms += ms;
      budget.enter(of);
      budget.leave(of, 10);
    };
    const quick = budgetOf({ unsentMs: 100 });
    pass(quick, 5);
    expect(quick.budget.isFull()).toBe(false);
    pass(quick, 95);
    expect([quick.budget.isFull(), quick.budget.canReadAhead()]).toEqual([true, false]);
    const sending = budgetOf({ unsentMs: 100 });
    pass(sending, 5, page);
    pass(sending, 500);
    expect([sending.budget.isFull(), sending.budget.canReadAhead()]).toEqual([false, true]);
    const slow = budgetOf({ unsentMs: 100 });
    pass(slow, 50);
    pass(slow, 449);
    expect(slow.budget.isFull()).toBe(false);
    pass(slow, 1);
    expect(slow.budget.isFull()).toBe(true);
  });

  it("is as patient with a source that begins slowly where no line is judged", () => {
    const { budget, clock } = budgetOf({ unsentMs: 100 });
    const filtered = { ...page, candidates: noCandidates };
    clock.ms += 200;
    budget.leave(filtered, 10);
    clock.ms += 1;
    budget.leave(filtered, 10);
    expect(budget.isFull()).toBe(false);
    // Ten times its beginning would be 2,000 ms: any chunk ends at 1,000.
    clock.ms += 799;
    expect(budget.isFull()).toBe(true);
  });

  it("lets none run ahead of pages that might fill it, and continues when they did not", () => {
    const { budget } = budgetOf({ records: 4 });
    budget.enter(page);
    expect(budget.canReadAhead()).toBe(true);
    budget.enter(page);
    expect(budget.canReadAhead()).toBe(false);
    // Nothing in them was new.
    for (const _ of [1, 2]) budget.leave({ ...page, candidates: noCandidates }, 10);
    expect(budget.isFull()).toBe(false);
    expect(budget.canReadAhead()).toBe(true);
  });
});

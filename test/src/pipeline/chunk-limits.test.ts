import { describe, expect, it } from "vitest";

import {
  createChunkRoom,
  type ChunkLimits,
  type ChunkRoom,
} from "../../../src/pipeline/chunk-limits.ts";
import { linePage } from "./support.ts";

const wide: ChunkLimits = { records: 1_000, bytes: 1_000_000, rowsRead: 1_000, ms: 1_000 };
const page = linePage(["a", "b", "c"].map((key) => [key, `"${key}"`] as const));

function roomOf(limits: Partial<ChunkLimits>): {
  readonly room: ChunkRoom;
  readonly clock: { ms: number };
} {
  const clock = { ms: 5_000 };
  return { room: createChunkRoom({ ...wide, ...limits }, () => clock.ms), clock };
}

describe("createChunkRoom", () => {
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
    const { room } = roomOf(limits);
    room.enter(page);
    room.leave(page, 100);
    expect(room.isFull()).toBe(isFull);
    expect(room.mayRunAhead()).toBe(!isFull);
  });

  it.each([
    [999, false],
    [1_000, true],
    [1_001, true],
  ])("is full by time after %i ms of 1,000: %s", (ms, isFull) => {
    const { room, clock } = roomOf({});
    clock.ms += ms;
    expect(room.isFull()).toBe(isFull);
    expect(room.mayRunAhead()).toBe(!isFull);
  });

  it("is never full while a page of it is still judged", () => {
    const { room } = roomOf({ records: 1 });
    room.enter(page);
    room.enter(page);
    expect(room.mayRunAhead()).toBe(false);
    room.leave(page, 100);
    expect(room.isFull()).toBe(false);
    room.leave(page, 200);
    expect(room.isFull()).toBe(true);
  });

  it("ends sooner while nothing leaves, but not before it was worth its beginning", () => {
    const unchanged = { ...page, candidates: [] };
    const pass = (
      { room, clock }: ReturnType<typeof roomOf>,
      ms: number,
      of: typeof page = unchanged,
    ): void => {
      clock.ms += ms;
      room.enter(of);
      room.leave(of, 10);
    };
    const quick = roomOf({ unsentMs: 100 });
    pass(quick, 5);
    expect(quick.room.isFull()).toBe(false);
    pass(quick, 95);
    expect([quick.room.isFull(), quick.room.mayRunAhead()]).toEqual([true, false]);
    const sending = roomOf({ unsentMs: 100 });
    pass(sending, 5, page);
    pass(sending, 500);
    expect([sending.room.isFull(), sending.room.mayRunAhead()]).toEqual([false, true]);
    const slow = roomOf({ unsentMs: 100 });
    pass(slow, 50);
    pass(slow, 449);
    expect(slow.room.isFull()).toBe(false);
    pass(slow, 1);
    expect(slow.room.isFull()).toBe(true);
  });

  it("lets none run ahead of pages that might fill it, and continues when they did not", () => {
    const { room } = roomOf({ records: 4 });
    room.enter(page);
    expect(room.mayRunAhead()).toBe(true);
    room.enter(page);
    expect(room.mayRunAhead()).toBe(false);
    // Nothing in them was new.
    for (const _ of [1, 2]) room.leave({ ...page, candidates: [] }, 10);
    expect(room.isFull()).toBe(false);
    expect(room.mayRunAhead()).toBe(true);
  });
});

import { expect, it, onTestFinished, vi } from "vitest";

import { followClock } from "../../../../src/state/postgres/followed-clock.ts";
import { openPostgresStore } from "../../../../src/state/postgres/open.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { schemaOf } from "../../../support/project/inline-postgres.ts";

it("runs with a clock that is asked every ten seconds, and on by itself while nobody answers", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let answered: number | undefined = 1_000_000;
  const clock = await followClock(async () => {
    if (answered === undefined) throw new Error("away");
    return await Promise.resolve(answered);
  });
  onTestFinished(() => clock.stop());
  // A changed clock of this process does not affect it.
  vi.setSystemTime(5);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(clock.now()).toBe(1_004_000);
  answered = undefined;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(clock.now()).toBe(1_024_000);
  answered = 7_000_000;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(clock.now()).toBe(7_004_000);
  clock.stop();
  answered = 0;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(clock.now()).toBe(7_024_000);
});

it("is the database's in a process whose own is hours behind", async () => {
  const server = await schemaOf(await temporaryFolder());
  const trueMs = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now: trueMs - 5 * 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  const store = await openPostgresStore(server);
  onTestFinished(async () => await store.close());
  expect(Math.abs(store.now() - trueMs)).toBeLessThan(60_000);
});

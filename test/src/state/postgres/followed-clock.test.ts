import { expect, it, onTestFinished, vi } from "vitest";

import { type FollowedClock, followClock } from "../../../../src/state/postgres/followed-clock.ts";
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

type Sleep = (ms: number) => void;

/** A followed clock of a machine that sleeps when a test says so. */
async function sleeping(ask: (sleep: Sleep) => number | undefined): Promise<{
  readonly clock: FollowedClock;
  readonly sleep: Sleep;
  readonly asked: () => number;
}> {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let [asked, asleepMs] = [0, 0];
  const sleep: Sleep = (ms) => void (asleepMs += ms);
  const answer = async (): Promise<number> => {
    asked += 1;
    const answered = await Promise.resolve(ask(sleep));
    if (answered === undefined) throw new Error("away");
    return answered;
  };
  const clock = await followClock(answer, () => performance.now() + asleepMs);
  onTestFinished(() => clock.stop());
  return { clock, sleep, asked: () => asked };
}

it("counts the time that the machine sleeps, and asks once more at once", async () => {
  let answered: number | undefined = 1_000_000;
  const { clock, sleep, asked } = await sleeping(() => answered);
  await vi.advanceTimersByTimeAsync(4_000);
  answered = undefined;
  sleep(3_600_000);
  expect([clock.now(), clock.now(), asked()]).toEqual([4_604_000, 4_604_000, 2]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([clock.now(), asked()]).toEqual([4_605_000, 2]);
  answered = 4_700_000;
  sleep(60_000);
  expect(clock.now()).toBe(4_665_000);
  await vi.advanceTimersByTimeAsync(0);
  expect([clock.now(), asked()]).toEqual([4_700_000, 3]);
  // A changed clock of this process does not count as a sleep.
  vi.setSystemTime(Date.now() + 3_600_000);
  expect([clock.now(), asked()]).toEqual([4_700_000, 3]);
});

it("takes no answer that the machine slept over, and asks again", async () => {
  const answers = [1_000_000, 1_010_000, 4_610_000];
  const { clock, asked } = await sleeping((sleep) => {
    if (answers.length === 2) sleep(3_600_000);
    return answers.shift();
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect([clock.now(), asked()]).toEqual([4_610_000, 3]);
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

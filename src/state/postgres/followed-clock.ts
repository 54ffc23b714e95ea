/** How often a process asks the database for the time: in between, the clocks of two machines drift by milliseconds. */
const askEveryMs = 10_000;

/** The database's clock as this process last read it; it advances by a clock that nobody sets. */
export type FollowedClock = {
  /** Unix ms. */
  readonly now: () => number;
  readonly stop: () => void;
};

/** Follows the clock that `ask` reads, in Unix ms; while `ask` fails, the clock keeps running. */
export async function followClock(ask: () => Promise<number>): Promise<FollowedClock> {
  let aheadMs = 0;
  const follow = async (): Promise<void> => {
    const askedAt = performance.now();
    const answered = await ask();
    // It was read between the question and the answer.
    aheadMs = answered - (askedAt + performance.now()) / 2;
  };
  await follow();
  const timer = setInterval(() => void follow().catch(() => undefined), askEveryMs);
  timer.unref();
  return {
    now: () => Math.round(performance.now() + aheadMs),
    stop: () => clearInterval(timer),
  };
}

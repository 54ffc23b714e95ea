import { uptime } from "node:os";

/** How often a process asks the database for the time: in between, the clocks of two machines drift by milliseconds. */
const askEveryMs = 10_000;

/** From how long on the machine has slept; where its uptime is in whole seconds, it differs by less. */
const sleepMsMin = 1_000;

/** The database's clock as this process last read it; it advances by clocks that nobody sets. */
export type FollowedClock = {
  /** Unix ms. */
  readonly now: () => number;
  readonly stop: () => void;
};

/**
 * Follows the clock that `ask` reads, in Unix ms; while `ask` fails, the clock keeps running. `performance.now` leaves
 * out the time that the machine sleeps.
 * @param upMs How long the machine is up, with the time that it slept.
 */
export async function followClock(
  ask: () => Promise<number>,
  upMs: () => number = () => uptime() * 1_000,
): Promise<FollowedClock> {
  /** How long the machine has slept, from any moment on. */
  const asleepMs = (): number => upMs() - performance.now();
  let [aheadMs, asleepThen, asleepAsked] = [0, 0, 0];
  const follow = async (): Promise<void> => {
    const [asleepBefore, askedAt] = [asleepMs(), performance.now()];
    const answered = await ask();
    const asleep = asleepMs();
    // Nobody knows whether it was read before the machine slept.
    if (asleep - asleepBefore > sleepMsMin) return await follow();
    // It was read between the question and the answer.
    aheadMs = answered - (askedAt + performance.now()) / 2;
    asleepThen = asleep;
  };
  const followAgain = (): void => void follow().catch(() => undefined);
  await follow();
  const timer = setInterval(followAgain, askEveryMs);
  timer.unref();
  return {
    now: () => {
      const asleep = asleepMs();
      const sleptMs = asleep - asleepThen > sleepMsMin ? asleep - asleepThen : 0;
      if (sleptMs > 0 && asleep - asleepAsked > sleepMsMin) {
        asleepAsked = asleep;
        followAgain();
      }
      return Math.round(performance.now() + aheadMs + sleptMs);
    },
    stop: () => clearInterval(timer),
  };
}

import { attempt } from "../attempt.ts";
import { hostQueueOf, runOf, type Dependencies } from "../dependencies.ts";
import type { RunRef } from "../inputs.ts";

/**
 * Answers which host a run continues at: the one of `hostQueue` while it beats, because its staged files are
 * there; else the one of the worker that was asked, which lives.
 */
export function createChooseHost(
  deps: Dependencies,
): (input: RunRef & { readonly hostQueue: string }) => Promise<{ readonly hostQueue: string }> {
  return async ({ hostQueue, ...ref }) =>
    await attempt(async () => {
      await runOf(deps, ref);
      const { hostLostAfterMs } = deps.config.advanced;
      const beats = await deps.state.beats({
        nowMs: deps.now(),
        withinMs: hostLostAfterMs,
      });
      const isAlive = beats.some(({ hostId }) => hostQueueOf(deps.config, hostId) === hostQueue);
      return { hostQueue: isAlive ? hostQueue : deps.hostQueue };
    });
}

import { isLasting, liveWorkers, workerDifference } from "../../src/hosts/live-workers.ts";
import { version } from "../../src/version.ts";
import { attempt } from "../attempt.ts";
import { hostQueueOf, runOf, type Dependencies } from "../dependencies.ts";
import type { ChooseHostInput } from "../inputs.ts";

/**
 * Chooses the host where a lane of a run works from now on, and returns its queue: the host with the fewest lanes among
 * those that have a lasting worker like this one; in a tie, this worker's own.
 */
export async function takeHost(
  deps: Pick<Dependencies, "config" | "hostId" | "now" | "state" | "temporalId">,
  {
    sync,
    runId,
    lane = 1,
    over,
    filesAt,
  }: {
    readonly runId: string;
    readonly sync: string;
    /** The host that has files which the run needs: it is chosen as long as a worker there lives. */
    readonly filesAt?: string | undefined;
  } & Pick<ChooseHostInput, "lane" | "over">,
): Promise<string> {
  const { config, hostId, now, state, temporalId } = deps;
  const withinMs = config.advanced.hostLostAfterMs;
  const workers = await liveWorkers(state, { temporalId, nowMs: now(), withinMs });
  const others = workers.filter(
    (worker) =>
      isLasting(worker) &&
      worker.version === version &&
      workerDifference(worker, { kind: "sync", name: sync }, config) === undefined,
  );
  const all = [hostId, ...others.map((worker) => worker.hostId)] as const;
  const hosts = filesAt !== undefined && all.includes(filesAt) ? ([filesAt] as const) : all;
  return hostQueueOf(config, await state.chooseHost({ runId, lane, over, hosts }));
}

/** The host with the lines that a resend sends first; undefined if none is due. */
export async function hostOfDoubts(
  { clock, state, target }: Pick<Dependencies, "clock" | "state" | "target">,
  sync: string,
): Promise<string | undefined> {
  const after = { send: 0, record: -1 };
  const asked = { target, sync, now: clock(), after, limit: 1 };
  return (await state.doubtfulRecords(asked))[0]?.host;
}

/**
 * Returns the queue of the host where a lane of a run works: `hostQueue` while a worker there beats that is configured
 * for it, because its staged files are there; otherwise the queue of a newly chosen host.
 */
export function createChooseHost(
  deps: Dependencies,
): (input: ChooseHostInput) => Promise<{ readonly hostQueue: string }> {
  return async ({ hostQueue, lane, over, ...ref }) =>
    await attempt(async () => {
      const { sync, runId } = await runOf(deps, ref);
      if (hostQueue !== undefined) {
        const withinMs = deps.config.advanced.hostLostAfterMs;
        const beats = await deps.state.beats({ nowMs: deps.now(), withinMs });
        const isAlive = beats.some(
          (worker) =>
            hostQueueOf(deps.config, worker.hostId) === hostQueue &&
            workerDifference(worker, { kind: "sync", name: sync }, deps.config) === undefined,
        );
        if (isAlive) return { hostQueue };
      }
      return { hostQueue: await takeHost(deps, { sync, runId, lane, over }) };
    });
}

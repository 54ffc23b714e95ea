import type { Config } from "../../config/config.ts";
import { isOnOtherQueue, isReached, workerText } from "../../hosts/live-workers.ts";
import type { Beat } from "../../state/contract/runs/hosts.ts";

/** The live workers of a store, by whether they can do the work of its project. */
export type WorkersStatus = {
  /** Those that can. */
  readonly workers: number;
  /** Hosts that have one. */
  readonly hosts: number;
  /** The others: which, why, and what to do, one line each. */
  readonly idle: readonly string[];
};

/** Why a live worker does nothing for a project, and what to do; undefined if it can work. */
function whyIdle(worker: Beat, config: Pick<Config, "file" | "temporal">): string | undefined {
  const which = `a worker of this project (${workerText(worker)})`;
  if (!isReached(worker)) {
    return `${which} does nothing: Temporal is away from it → is Temporal reached from there? \`sluice doctor\``;
  }
  if (!isOnOtherQueue(worker, config)) return undefined;
  const queue = `that of ${config.file}, which is ${config.temporal.taskQueue}`;
  return `${which} polls another task queue than ${queue} → restart it with this file and environment`;
}

/** Distinguishes the workers that can do the work of a project from those that only live. */
export function statusOfWorkers(
  live: readonly Beat[],
  config: Pick<Config, "file" | "temporal">,
): WorkersStatus {
  const told = live.map((worker) => ({ worker, why: whyIdle(worker, config) }));
  const able = told.filter(({ why }) => why === undefined);
  return {
    workers: able.length,
    hosts: new Set(able.map(({ worker }) => worker.hostId)).size,
    idle: told.flatMap(({ why }) => (why === undefined ? [] : [why])),
  };
}

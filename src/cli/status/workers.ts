import type { Config } from "../../config/config.ts";
import {
  isMarked,
  isOnOtherQueue,
  isReached,
  type Runnable,
  differenceFromCommand,
  workerText,
} from "../../hosts/live-workers.ts";
import type { Beat } from "../../state/contract/runs/hosts.ts";

/** The live workers of a store, by whether they can do the work of its project. */
export type WorkersStatus = {
  /** Those that can. */
  readonly workers: number;
  /** Hosts that have one. */
  readonly hosts: number;
  /** The others: which, why, and what to do, one line each. */
  readonly idle: readonly string[];
  /** Those of the able ones that lack a sync or pull, or have another of it: which, what, and what to do. */
  readonly behind: readonly string[];
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

/**
 * The syncs and pulls whose runs fail in a worker without a trace in the store, and those that it runs otherwise than
 * the file says, such as for another service, where `status` does not see them. One line for each of the two.
 */
function whyBehind(worker: Beat, config: Config): string[] {
  // `dev` takes the changed file up itself, and the worker of a command ends with its run.
  if (worker.command !== "worker") return [];
  const wanted: readonly Runnable[] = [
    ...[...config.syncs.keys()].map((name) => ({ kind: "sync", name }) as const),
    ...[...config.pulls.keys()].map((name) => ({ kind: "pull", name }) as const),
  ];
  const namesWith = (difference: "changed" | "missing"): string =>
    wanted
      .filter((one) => differenceFromCommand(worker, one, config) === difference)
      .map(({ kind, name }) => `${kind} ${name}`)
      .join(", ");
  const lacks = namesWith("missing");
  const others = isMarked(worker) ? namesWith("changed") : "";
  const has = `has another configuration of ${others}, or another address or key of the service`;
  const which = `a worker of this project (${workerText(worker)})`;
  return [
    ...(lacks === "" ? [] : [`does not know ${lacks}: a run that it takes fails`]),
    ...(others === "" ? [] : [has]),
  ].map((why) => `${which} ${why} → restart it with this file and environment`);
}

/** Distinguishes the workers that can do the work of a project from those that only live. */
export function statusOfWorkers(live: readonly Beat[], config: Config): WorkersStatus {
  const told = live.map((worker) => ({ worker, why: whyIdle(worker, config) }));
  const able = told.filter(({ why }) => why === undefined);
  return {
    workers: able.length,
    hosts: new Set(able.map(({ worker }) => worker.hostId)).size,
    idle: told.flatMap(({ why }) => (why === undefined ? [] : [why])),
    behind: able.flatMap(({ worker }) => whyBehind(worker, config)),
  };
}

// A run is done by workers with the configuration that it was asked with, or it does not begin.
import { setTimeout as delay } from "node:timers/promises";

import type { Config } from "../../config/config.ts";
import { ConfigChangedError } from "../../errors.ts";
import {
  differenceFromCommand,
  isLasting,
  isReached,
  liveWorkers,
  workerText,
  type Runnable,
} from "../../hosts/live-workers.ts";
import { isProcessGone } from "../../local/process-identity.ts";
import type { Beat } from "../../state/contract/runs/hosts.ts";
import type { StateStore } from "../../state/state-store.ts";
import { workerTakesUpMsMax } from "../limits.ts";
import type { Context } from "../output/context.ts";

const lookEveryMs = 500;

/** Where to look for the workers of a project. */
export type WorkersAt = {
  readonly config: Config;
  readonly state: Pick<StateStore, "beats">;
  readonly temporalId: string;
};

/** The live workers of the project at its Temporal. */
export async function workersAt({ config, state, temporalId }: WorkersAt): Promise<Beat[]> {
  const withinMs = config.advanced.hostLostAfterMs;
  return await liveWorkers(state, { temporalId, nowMs: Date.now(), withinMs });
}

function otherConfiguration(
  worker: Beat,
  { kind, name }: Runnable,
  difference: "changed" | "missing",
): ConfigChangedError {
  const which = `a worker of this project (${workerText(worker)})`;
  const text =
    difference === "missing"
      ? `was started before ${kind} "${name}" was added`
      : `has another configuration of ${kind} ${name}, or another task queue, address or key of the service`;
  const hint = isLasting(worker)
    ? "restart it with the files and the environment of this command, then try again"
    : "it stops when its own run has ended: run again then";
  return new ConfigChangedError(`${which} ${text}`, { hint, field: `${kind}s.${name}` });
}

/**
 * Checks that every worker that may take a run has the configuration that the run is asked with; gives `sluice dev` the
 * time to take up a changed file.
 * @throws {ConfigChangedError} one has another, so that nobody could say with which of the two the run would be done.
 */
export async function needRightWorkers(
  at: WorkersAt,
  wanted: Runnable,
  { context, signal }: { readonly context: Pick<Context, "say">; readonly signal: AbortSignal },
): Promise<void> {
  const giveUpAt = Date.now() + workerTakesUpMsMax;
  for (let looked = 0; ; looked++) {
    const others = (await workersAt(at)).filter(isReached).flatMap((worker) => {
      const difference = differenceFromCommand(worker, wanted, at.config);
      return difference === undefined ? [] : [{ worker, difference }];
    });
    const [first] = others;
    if (first === undefined) return;
    const lags = others.find(({ worker }) => worker.command !== "dev");
    const { worker, difference } = lags ?? first;
    if (lags !== undefined || Date.now() > giveUpAt) {
      throw otherConfiguration(worker, wanted, difference);
    }
    if (looked === 0) {
      context.say(`waiting until sluice dev (process ${worker.process}) takes the changed file up`);
    }
    await delay(lookEveryMs, undefined, { signal });
  }
}

/** How often to check that a worker still does the work of this command. */
const standInEveryMs = 2_000;

/** Whether a worker that lasts is there: it beats, or its process still exists and may be about to restart. */
async function isOneThere(at: WorkersAt, known: readonly Beat[]): Promise<boolean> {
  if (known.some(({ name, hostId }) => isProcessGone(name, hostId) === false)) return true;
  return (await workersAt(at)).some(isLasting);
}

/**
 * Starts a worker here once those that last are gone: nobody else would continue with what this command follows.
 * @returns how to stop it.
 */
export async function standIn(
  at: WorkersAt,
  start: () => Promise<() => Promise<void>>,
): Promise<() => Promise<void>> {
  const known = (await workersAt(at)).filter(isLasting);
  const ended = new AbortController();
  const { signal } = ended;
  const watch = async (): Promise<(() => Promise<void>) | undefined> => {
    do {
      await delay(standInEveryMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
    } while (await isOneThere(at, known));
    return await start();
  };
  // If no worker can be started here, whoever waits for the run reports it.
  const watched = watch().catch(() => undefined);
  return async () => {
    ended.abort();
    await (
      await watched
    )?.();
  };
}

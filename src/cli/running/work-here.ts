import { sourcesOf } from "../../../connectors/registry.ts";
import type { Config } from "../../config/config.ts";
import type { StateStore } from "../../state/state-store.ts";
import type { WorkerSettings } from "../../worker.ts";
import { commandGraceMs } from "../limits.ts";
import type { Context } from "../output/context.ts";
import { startWorkerHere } from "../serve/start-worker.ts";

/** Starts a worker of our own, on the store that is already open. @returns how to stop it. */
export async function workHere(
  config: Config,
  {
    context,
    state,
    ...how
  }: Pick<WorkerSettings, "addresses" | "command" | "temporalAddress"> & {
    readonly context: Context;
    readonly state: StateStore;
  },
): Promise<() => Promise<void>> {
  const { logFormat, proxy } = context.environment;
  await using closing = new AsyncDisposableStack();
  // Before Temporal's worker is loaded, which takes as long as the thread needs to load its code.
  const { createStageThreads } = await import("../../../activities/stage/stage-threads.ts");
  const stageThreads = createStageThreads(state, { ready: how.command === "run" ? 1 : 0 });
  closing.defer(async () => await stageThreads.close());
  const { createLog } = await import("../../log.ts");
  // Whoever follows the run shows the failures that are retried.
  const log = createLog(logFormat).child({}, { level: "error" });
  const opened = { state, stageThreads };
  const settings = { ...how, config, sources: sourcesOf(config), log, proxy, opened };
  const worker = await startWorkerHere({ ...settings, graceMs: commandGraceMs });
  closing.defer(async () => await worker.stop());
  const open = closing.move();
  return async () => await open.disposeAsync();
}

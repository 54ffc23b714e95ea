import type { RunningWorker, WorkerSettings } from "../../worker.ts";

/**
 * Starts a worker in this process, as `startWorker`. Temporal's worker is loaded only here: it takes a tenth
 * of a second, and most commands start none.
 */
export async function startWorkerHere(settings: WorkerSettings): Promise<RunningWorker> {
  const { startWorker } = await import("../../worker.ts");
  return await startWorker(settings);
}

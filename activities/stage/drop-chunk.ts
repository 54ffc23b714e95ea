import { cleanUpChunk, cleanUpRun, stagedRuns, untouchedMs } from "../../src/staging/folder.ts";
import { hostForgottenMs } from "../../src/state/limits.ts";
import { attempt } from "../attempt.ts";
import type { Dependencies } from "../dependencies.ts";
import { cleanUpEveryMs } from "../limits.ts";

type CleaningUp = Pick<Dependencies, "effect" | "stagingFolder" | "state">;

/** Whether nobody sends from the files of a run any more. */
async function isOver({ stagingFolder, state }: CleaningUp, runId: string): Promise<boolean> {
  const run = await state.run(runId);
  // A run pruned while this host was away is in no store; for one of another store, nobody here knows whether it ended.
  if (run === undefined) return (await untouchedMs(stagingFolder, runId)) > hostForgottenMs;
  return run.endedAt !== null;
}

/** Removes the files of runs that have ended, except lines that may have to be sent again. */
export async function cleanUpEnded(deps: CleaningUp): Promise<void> {
  const { effect, stagingFolder, state } = deps;
  for (const runId of await stagedRuns(stagingFolder)) {
    if (!(await isOver(deps, runId))) continue;
    await cleanUpRun(stagingFolder, { runId, keep: await state.keptStages({ runId }) }, effect);
  }
}

/**
 * Cleans up again and again until `stop`: an attempt that was taken for dead may leave files after its run has ended,
 * and doubts may be settled while nothing runs. A failure is retried the next time.
 */
export function keepCleanedUp(
  deps: CleaningUp,
  everyMs: number = cleanUpEveryMs,
): { readonly stop: () => Promise<void> } {
  let cleaning = Promise.resolve();
  let isCleaning = false;
  const timer = setInterval(() => {
    if (isCleaning) return;
    isCleaning = true;
    cleaning = cleanUpEnded(deps)
      .catch(() => undefined)
      .finally(() => (isCleaning = false));
  }, everyMs);
  return {
    stop: async () => {
      clearInterval(timer);
      await cleaning;
    },
  };
}

/**
 * Removes the files of a committed chunk, or of a whole run when no chunk is named, except lines that may have to be
 * sent again. Together with a run's files it removes those that an earlier run had to keep and that nothing needs any
 * more. Twice is once.
 */
export function createDropChunk(
  deps: Dependencies,
): (input: { readonly runId: string; readonly chunk?: number }) => Promise<object> {
  const { effect, stagingFolder, state } = deps;
  return async ({ runId, chunk }) =>
    await attempt(async () => {
      const keep = await state.keptStages({ runId });
      if (chunk !== undefined) await cleanUpChunk(stagingFolder, { runId, chunk, keep }, effect);
      else {
        await cleanUpRun(stagingFolder, { runId, keep }, effect);
        await cleanUpEnded(deps);
      }
      return {};
    });
}

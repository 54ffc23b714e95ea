import { stagedRuns, cleanUpChunk, cleanUpRun } from "../../src/staging/folder.ts";
import { attempt } from "../attempt.ts";
import type { Dependencies } from "../dependencies.ts";

/** Removes the files of runs that have ended, but lines that may have to be sent once more. */
export async function cleanUpEnded({
  effect,
  stagingFolder,
  state,
}: Pick<Dependencies, "effect" | "stagingFolder" | "state">): Promise<void> {
  for (const runId of await stagedRuns(stagingFolder)) {
    const run = await state.run(runId);
    if (run === undefined || run.endedAt === null) continue;
    await cleanUpRun(stagingFolder, { runId, keep: await state.keptStages({ runId }) }, effect);
  }
}

/**
 * Removes the files of a committed chunk, or of a whole run when no chunk is named, but lines that may have
 * to be sent once more; with a run's files go those that an earlier run had to keep and that nothing asks for
 * any more. Twice is once.
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

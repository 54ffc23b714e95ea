import { sweepChunk, sweepRun } from "../src/staging/folder.ts";
import { attempt } from "./attempt.ts";
import type { Dependencies } from "./dependencies.ts";

/** Removes the files of a committed chunk, or of a whole run when no chunk is named. Twice is once. */
export function createDropChunk(
  deps: Dependencies,
): (input: { readonly runId: string; readonly chunk?: number }) => Promise<object> {
  return async ({ runId, chunk }) =>
    await attempt(async () => {
      if (chunk === undefined) await sweepRun(deps.stagingFolder, runId, deps.effect);
      else await sweepChunk(deps.stagingFolder, { runId, chunk }, deps.effect);
      return {};
    });
}

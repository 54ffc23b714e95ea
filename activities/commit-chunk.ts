import { attempt } from "./attempt.ts";
import { isoNow, type Dependencies } from "./dependencies.ts";
import type { StageRef } from "./inputs.ts";

/** Saves the checkpoint behind a chunk that the service accepted (I1). Twice is once: a committed chunk stays as it is. */
export function createCommitChunk(deps: Dependencies): (input: StageRef) => Promise<object> {
  return async ({ runId, chunk, stage }) =>
    await attempt(async () => {
      await deps.state.commitChunk({ runId, chunk, stage, at: isoNow(deps) });
      return {};
    });
}

import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { pageStartsFile, stagedRuns } from "../../staging/folder.ts";
import { wholeLines } from "../../staging/staged-lines.ts";
import type { SyncName } from "../../state/contract/runs/checkpoints.ts";
import { textMentions } from "../../state/rules/keys/mentions.ts";
import type { StateStore } from "../../state/state-store.ts";

/** Whether a line of the file holds the key. An incomplete file counts as if it did: nobody needs it. */
async function holdsKey(file: string, key: string): Promise<boolean> {
  try {
    for await (const line of wholeLines(file)) if (textMentions(line.toString(), key)) return true;
    return false;
  } catch {
    return true;
  }
}

/**
 * Removes the staged files of a sync's ended runs that hold a line of a key, and returns how many. Records in them that
 * were to be sent once more can then be sent only from their source. To be called while no run of the sync is open.
 */
export async function eraseStaged(
  state: StateStore,
  {
    stagingFolder,
    target,
    sync,
    key,
  }: SyncName & { readonly stagingFolder: string; readonly key: string },
): Promise<number> {
  let erased = 0;
  for (const runId of await stagedRuns(stagingFolder)) {
    const run = await state.run(runId);
    if (run !== undefined && (run.sync !== sync || run.target !== target)) continue;
    const folder = join(stagingFolder, runId);
    const names: string[] = await readdir(folder).catch(() => []);
    for (const name of names) {
      const [, chunk, stage] = /^chunk-(\d+)\.stage-(\d+)\..*gz(?:\.partial)?$/.exec(name) ?? [];
      const file = join(folder, name);
      if (stage === undefined || !(await holdsKey(file, key))) continue;
      await rm(file, { force: true });
      await rm(pageStartsFile(file), { force: true });
      erased += 1;
      const staging = await state.staging({ runId, chunk: Number(chunk), stage: Number(stage) });
      if (staging !== undefined) await state.loseLines({ send: staging.send });
    }
  }
  return erased;
}

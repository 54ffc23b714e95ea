import { targetOf, type Config } from "../../config/config.ts";
import type { Run } from "../../state/contract/runs/runs.ts";

/** Why a held run is not sent, and what to do instead. */
export type Unsendable = { readonly why: string; readonly hint: string };

/**
 * Why `sluice approve` does not send a held run; undefined if it does. Staged records go to the service that they were
 * staged for, by the sync's configuration of then, or nowhere.
 */
export function whyUnsendable(
  { api, file, syncs }: Pick<Config, "api" | "file" | "syncs">,
  { sync, runId, target, configHash }: Pick<Run, "configHash" | "runId" | "sync" | "target">,
): Unsendable | undefined {
  const discard = `\`sluice discard ${runId}\``;
  const now = syncs.get(sync);
  if (now === undefined) {
    const back = "give the sync its name back, before a sync of another name sends newer rows";
    const why = `there is no sync "${sync}" in ${file} any more`;
    return { why, hint: `${discard}; to send it all the same, ${back}` };
  }
  if (target !== targetOf(api)) {
    const why = `it is held for ${target}, and ${file} names ${targetOf(api)}`;
    return {
      why,
      hint: `${discard}, or have \`api\` name the service and the account that it was staged for`,
    };
  }
  if (now.configHash === configHash) return undefined;
  return {
    why: `the configuration of sync ${sync} changed since it was staged`,
    hint: `${discard}, then \`sluice run ${sync}\` with what is configured now`,
  };
}

/** The name of the sync that can be run to take the lock of a held run; undefined if none is configured. */
export function runnableSync(
  { api, syncs }: Pick<Config, "api" | "syncs">,
  { sync, target }: Pick<Run, "sync" | "target">,
): string | undefined {
  return syncs.has(sync) && target === targetOf(api) ? sync : undefined;
}

/**
 * What notes the end of a held run whose workflow is gone: the next holder of its lock; where none can come, a worker
 * when it starts.
 * @param sync as `runnableSync` returns it
 */
export function whatNotesEnd(sync: string | undefined): string {
  if (sync !== undefined) return `\`sluice run ${sync}\``;
  return "a worker that starts (restart the one that runs, or `sluice worker`)";
}

/** What to do with a run that is held. */
export function heldHint(runId: string, unsendable: Unsendable | undefined): string {
  const answer = unsendable?.hint ?? `\`sluice approve ${runId}\` or \`sluice discard ${runId}\``;
  return `\`sluice runs show ${runId}\`, then ${answer}`;
}

import type { Source } from "../connectors/connector.ts";
import type { ApiClient } from "../src/api/client.ts";
import type { Config, SyncConfig } from "../src/config/config.ts";
import { ConfigError } from "../src/errors.ts";
import type { LockHolder } from "../src/state/locks.ts";
import type { Run } from "../src/state/runs.ts";
import type { StateStore } from "../src/state/state-store.ts";
import type { StageThreads } from "./stage-threads.ts";

/** What the activities work with; made once a worker, handed to `createActivities`. */
export type Dependencies = {
  readonly config: Config;
  /** Checkpoints and fingerprints belong to it; see `targetOf`. */
  readonly target: string;
  readonly state: StateStore;
  readonly api: ApiClient;
  /** Connectors by name. */
  readonly sources: ReadonlyMap<string, Source>;
  readonly stageThreads: StageThreads;
  /** Folder of staged files. */
  readonly stagingFolder: string;
  readonly hostId: string;
  /** The task queue of activities that need this host's files. */
  readonly hostQueue: string;
  /** Asks Temporal whether the workflow that holds a lock is still open. */
  isWorkflowOpen(holder: LockHolder): Promise<boolean>;
  /** Unix ms. */
  now(): number;
  /** Takes one line when a run opens and one when it closes: names and numbers. */
  readonly log: { info(facts: object, text: string): void };
};

/**
 * The configuration of a sync.
 * @throws {ConfigError} there is none of that name in the worker's `sluice.yaml`.
 */
export function syncOf({ config }: Pick<Dependencies, "config">, name: string): SyncConfig {
  const sync = config.syncs.get(name);
  if (sync === undefined) {
    const names = [...config.syncs.keys()].join(", ");
    throw new ConfigError(`there is no sync "${name.slice(0, 100)}" in ${config.file}`, {
      field: "sync",
      hint: names === "" ? "configure one under `syncs:`" : `the syncs are: ${names}`,
    });
  }
  return sync;
}

/**
 * The run that an activity belongs to.
 * @throws {ConfigError} it was begun for another service than this worker talks to: what one holds the other does not.
 */
export async function runOf(
  { state, target }: Pick<Dependencies, "state" | "target">,
  runId: string,
): Promise<Run> {
  const run = await state.run(runId);
  if (run === undefined) throw new Error(`run ${runId} is not in the store`);
  if (run.target === target) return run;
  throw new ConfigError(
    `run ${runId} was begun for ${run.target}, and this worker sends to ${target}`,
    {
      field: "api.base_url",
      hint: "run the sync again: this run ends here, with what it sent committed",
    },
  );
}

/** The time as the store keeps it. */
export function isoNow({ now }: Pick<Dependencies, "now">): string {
  return new Date(now()).toISOString();
}

// Which workers of a project live, and whether the configuration they work with is that of a command.
import { targetOf, type Config } from "../config/config.ts";
import { sha256 } from "../config/hash.ts";
import { isProcessGone } from "../local/process-identity.ts";
import { keyName } from "../service/key-limits.ts";
import type { Beat } from "../state/contract/runs/hosts.ts";
import type { StateStore } from "../state/state-store.ts";

/** A sync or pull, as it is run. */
export type Runnable = { readonly kind: "pull" | "sync"; readonly name: string };

/** Characters of a mark: enough to tell two configurations from each other. */
const markChars = 16;

function markOf(text: string): string {
  return sha256(text).slice(0, markChars);
}

/** The name of the mark of a task queue. */
const queueName = "task queue";

function markName({ kind, name }: Runnable): string {
  return `${kind} ${name}`;
}

/**
 * A mark of the task queue, and of the configuration of each sync and pull with the service, the key that it talks to
 * it with, and that queue: it differs where a run would.
 */
export function configMarks({
  api,
  syncs,
  pulls,
  temporal,
}: Pick<Config, "api" | "pulls" | "syncs" | "temporal">): Readonly<Record<string, string>> {
  // A key in a file is read again by whoever it is refused to: no process has an old one.
  const key = api.apiKeyFile ?? keyName(api.apiKey);
  const common = `${targetOf(api)} ${key} ${temporal.taskQueue}`;
  const marks = (
    kind: Runnable["kind"],
    of: Config["pulls"] | Config["syncs"],
  ): [string, string][] =>
    [...of].map(([name, { configHash }]) => [
      markName({ kind, name }),
      markOf(`${common} ${configHash}`),
    ]);
  const queue = [queueName, markOf(temporal.taskQueue)] as const;
  return Object.fromEntries([queue, ...marks("sync", syncs), ...marks("pull", pulls)]);
}

/**
 * The workers of a store that beat and whose process, where it can be looked for, is there.
 * @param at `temporalId`: those at one Temporal. @default at any
 */
export async function liveWorkers(
  state: Pick<StateStore, "beats">,
  at: { readonly temporalId?: string } & Parameters<StateStore["beats"]>[0],
): Promise<Beat[]> {
  const beats = await state.beats(at);
  return beats.filter(
    ({ temporalId, name, hostId }) =>
      temporalId === (at.temporalId ?? temporalId) && isProcessGone(name, hostId) !== true,
  );
}

/** Whether a worker continues when the command that runs is over. */
export function isLasting({ command }: Pick<Beat, "command">): boolean {
  return command === "dev" || command === "worker";
}

/** Whether work reaches a worker: one from which Temporal is away tells no mark, not even of its queue. */
export function isReached({ configs }: Pick<Beat, "configs">): boolean {
  return Object.keys(configs).length > 0;
}

/** Whether a worker polls another task queue than a project; one of a version that tells none is not known to. */
export function isOnOtherQueue(
  { configs }: Pick<Beat, "configs">,
  { temporal }: Pick<Config, "temporal">,
): boolean {
  const queue = configs[queueName];
  return queue !== undefined && queue !== markOf(temporal.taskQueue);
}

/** A worker as a person finds it: `process 6166, sluice dev`. */
export function workerText({ process, command }: Pick<Beat, "command" | "process">): string {
  return `process ${process}, sluice ${command}`;
}

/** How a worker's configuration of what is to run differs from a command's; undefined where it does not. */
export function workerDifference(
  { configs }: Pick<Beat, "configs">,
  wanted: Runnable,
  config: Config,
): "changed" | "missing" | undefined {
  const theirs = configs[markName(wanted)];
  if (theirs === undefined) return "missing";
  return theirs === configMarks(config)[markName(wanted)] ? undefined : "changed";
}

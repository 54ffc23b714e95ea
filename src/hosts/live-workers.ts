// Which workers of a project live, and whether their configuration is the same as a command's.
import { targetOf, type Config } from "../config/config.ts";
import { canonicalJson, sha256 } from "../config/hash.ts";
import { isProcessGone } from "../local/process-identity.ts";
import { keyName } from "../service/key-limits.ts";
import type { Beat } from "../state/contract/runs/hosts.ts";
import type { StateStore } from "../state/state-store.ts";

/** A sync or pull that is run. */
export type Runnable = { readonly kind: "pull" | "sync"; readonly name: string };

/** Characters of a mark: enough to distinguish two configurations. */
const markChars = 16;

function markOf(text: string): string {
  return sha256(text).slice(0, markChars);
}

/** The name of the mark of a task queue. */
const queueName = "task queue";

function markName({ kind, name }: Runnable): string {
  return `${kind} ${name}`;
}

/** The name of the mark of what a sync asks before it sends, and looks at afterwards, which changes no record. */
function boundsName({ kind, name }: Runnable): string {
  return `bounds of ${kind} ${name}`;
}

/**
 * A mark of the task queue, and one of the configuration of each sync and pull together with the service, its key and
 * that queue: two marks differ if the runs would. For each sync also one of its guardrails, of the rows up to which a
 * backfill asks nobody, and of `verify`.
 */
export function configMarks({
  api,
  syncs,
  pulls,
  temporal,
}: Pick<Config, "api" | "pulls" | "syncs" | "temporal">): Readonly<Record<string, string>> {
  // A process whose key from a file is refused reads the file again, so no process keeps an old key.
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
  const bounds = [...syncs].map(([name, { holdIf, approveUpTo, verify }]): [string, string] => [
    boundsName({ kind: "sync", name }),
    markOf(canonicalJson([holdIf, approveUpTo, verify?.sample, verify?.callsMax])),
  ]);
  return Object.fromEntries([queue, ...marks("sync", syncs), ...marks("pull", pulls), ...bounds]);
}

/**
 * The workers of a store that beat and whose process, if it can be looked up, exists.
 * @param at `temporalId`: only those at this Temporal. @default at any
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

/** Whether a worker keeps running when the current command ends. */
export function isLasting({ command }: Pick<Beat, "command">): boolean {
  return command === "dev" || command === "worker";
}

/** Whether work reaches a worker: one that is cut off from Temporal reports no mark, not even of its queue. */
export function isReached({ configs }: Pick<Beat, "configs">): boolean {
  return Object.keys(configs).length > 0;
}

/** Whether a worker reports its task queue; the marks of a version that does not are other ones. */
export function isMarked({ configs }: Pick<Beat, "configs">): boolean {
  return configs[queueName] !== undefined;
}

/** Whether a worker polls another task queue than a project; false for a version that does not report its queue. */
export function isOnOtherQueue(
  { configs }: Pick<Beat, "configs">,
  { temporal }: Pick<Config, "temporal">,
): boolean {
  const queue = configs[queueName];
  return queue !== undefined && queue !== markOf(temporal.taskQueue);
}

/** A worker, described so that a person can find it: `process 6166, sluice dev`. */
export function workerText({ process, command }: Pick<Beat, "command" | "process">): string {
  return `process ${process}, sluice ${command}`;
}

/** How the runs of a sync or pull by a worker differ from those of a configuration; undefined if they do not. */
export function workerDifference(
  { configs }: Pick<Beat, "configs">,
  wanted: Runnable,
  config: Config,
): "changed" | "missing" | undefined {
  const theirs = configs[markName(wanted)];
  if (theirs === undefined) return "missing";
  return theirs === configMarks(config)[markName(wanted)] ? undefined : "changed";
}

/**
 * How a worker's configuration of a sync or pull differs from a command's, also where each of its runs would send the
 * same: it would hold other runs, or verify another sample. Undefined if it does not.
 */
export function differenceFromCommand(
  worker: Pick<Beat, "configs">,
  wanted: Runnable,
  config: Config,
): "changed" | "missing" | undefined {
  const difference = workerDifference(worker, wanted, config);
  if (difference !== undefined) return difference;
  const theirs = worker.configs[boundsName(wanted)];
  // A pull has none, and a worker of an older version does not report them.
  if (theirs === undefined) return undefined;
  return theirs === configMarks(config)[boundsName(wanted)] ? undefined : "changed";
}

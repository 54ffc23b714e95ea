// Who may use a store in Postgres, which any number of hosts can reach: one Temporal, and no copied state folder.
import type { Config } from "../config/config.ts";
import { ConfigError } from "../errors.ts";
import { temporalOptions } from "../local/connect.ts";
import { folderName } from "../staging/host-id.ts";
import type { TemporalRecord } from "../state/contract/runs/hosts.ts";
import { hostBeatMs } from "../state/limits.ts";
import type { StateStore } from "../state/state-store.ts";
import { isOnOtherQueue, liveWorkers, workerText } from "./live-workers.ts";

/** A worker that was silent this long no longer keeps others from starting: two beats were missed. */
const silentMs = 2.5 * hostBeatMs;

/** A Temporal as the store records it; `address` undefined means as TEMPORAL_ADDRESS and related variables say. */
export function temporalRecord(temporalId: string, address: string | undefined): TemporalRecord {
  const { connectionOptions, namespace = "default" } = temporalOptions(address);
  return { id: temporalId, at: connectionOptions.address ?? "localhost:7233", namespace };
}

/** The description of a Temporal for a person. */
export function temporalText({ at, namespace }: TemporalRecord): string {
  return `Temporal at ${at}, namespace ${namespace}`;
}

/** Why a store must not be used with a Temporal, and what to do; undefined if it is used with that one. */
export function whyOtherTemporal(
  used: TemporalRecord | undefined,
  temporal: TemporalRecord,
): ConfigError | undefined {
  if (used === undefined || used.id === temporal.id) return undefined;
  const is =
    used.at === temporal.at && used.namespace === temporal.namespace
      ? "another server at the same address"
      : temporalText(temporal);
  return new ConfigError(`the state store is used with ${temporalText(used)}, and this is ${is}`, {
    field: "store",
    hint:
      "set TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE to that one; or, when it is gone for good, `sluice store rebind` " +
      "has the store used with this one",
  });
}

/**
 * Refuses another Temporal than the store's: two of them would each start runs that the other does not know of.
 * @throws {ConfigError}
 */
export async function refuseOtherTemporal(
  { store }: Pick<Config, "store">,
  {
    state,
    temporalId,
    address,
  }: {
    readonly state: Pick<StateStore, "bindTemporal">;
    readonly temporalId: string;
    readonly address: string | undefined;
  },
): Promise<void> {
  if (store === undefined) return;
  const temporal = temporalRecord(temporalId, address);
  const why = whyOtherTemporal(await state.bindTemporal({ temporal, isRebound: false }), temporal);
  if (why !== undefined) throw why;
}

/**
 * Refuses a state folder that was copied while a worker uses the original: each would take the other's work without
 * having its files.
 * @throws {ConfigError}
 */
export async function refuseCopiedFolder(
  { store, stateFolder }: Pick<Config, "stateFolder" | "store">,
  at: { readonly state: StateStore; readonly hostId: string; readonly temporalId: string },
): Promise<void> {
  if (store === undefined) return;
  const { state, hostId, temporalId } = at;
  const nowMs = Date.now();
  const workers = await liveWorkers(state, { temporalId, nowMs, withinMs: silentMs });
  const folder = folderName(stateFolder);
  const other = workers.find((worker) => worker.hostId === hostId && worker.folder !== folder);
  if (other === undefined) return;
  throw new ConfigError(
    `${stateFolder} was copied from the state folder of a worker that lives (process ${other.process}, ` +
      `host id ${hostId})`,
    {
      field: "state",
      hint:
        `give each worker a state folder of its own: remove \`host-id\` and \`staging\` from this one; a worker that ` +
        `was killed counts for ${silentMs / 1_000} s`,
    },
  );
}

/**
 * Warns if a worker of the store polls another task queue than the one that starts. For a while that is fine, to
 * finish what was begun there; in the long run, the schedules and drains of both would begin runs.
 */
export async function warnOfOtherQueue(
  config: Pick<Config, "temporal">,
  {
    state,
    temporalId,
    log,
  }: {
    readonly state: Pick<StateStore, "beats">;
    readonly temporalId: string;
    readonly log: { warn(facts: object, text: string): void };
  },
): Promise<void> {
  const at = { temporalId, nowMs: Date.now(), withinMs: silentMs };
  const other = (await liveWorkers(state, at)).find((worker) => isOnOtherQueue(worker, config));
  if (other === undefined) return;
  log.warn(
    { queue: config.temporal.taskQueue },
    `a worker of this project (${workerText(other)}) polls another task queue: runs that begin there are not done ` +
      "here; have `temporal.task_queue` be the same for all, then `sluice schedule apply`",
  );
}

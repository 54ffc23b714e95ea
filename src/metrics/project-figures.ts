import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { systemClock } from "../clock.ts";
import { targetOf, type Config } from "../config/config.ts";
import type { Inbox } from "../inbox/inbox.ts";
import { keyName } from "../service/key-limits.ts";
import { currentKey } from "../service/rotating-key.ts";
import type { RateLimit } from "../state/contract/rate-limit.ts";
import { openHold } from "../state/contract/runs/holds.ts";
import type { StateStore } from "../state/state-store.ts";

/** Open runs that are looked at: a sync has a few at most. */
const openRunsMax = 1_000;

/** The state of a project, from its store and this host's staging folder. */
export type ProjectFigures = {
  /** Unix seconds of the last success, by sync or pull; one without a success is missing. */
  readonly lastSuccess: ReadonlyMap<string, number>;
  /** Unix seconds of the last move of its checkpoint, by sync. */
  readonly checkpoint: ReadonlyMap<string, number>;
  readonly open: ReadonlyMap<string, number>;
  readonly held: ReadonlyMap<string, number>;
  /** Limits of the service's current key, and of storage hosts. */
  readonly limits: readonly RateLimit[];
  readonly backlogs: readonly {
    readonly connection: string;
    readonly waiting: number;
    readonly oldestMs: number;
  }[];
  readonly stagedBytes: number;
};

/** How to read the figures of a worker's project, and the names that they may have. */
export type LookAtProject = {
  /** Syncs and pulls of the configuration. */
  readonly names: { readonly sync: readonly string[]; readonly pull: readonly string[] };
  /** Those that a schedule starts. */
  readonly scheduled: readonly string[];
  readonly look: () => Promise<ProjectFigures>;
};

/** The sources of the figures. */
type FigureSources = {
  readonly config: Config;
  readonly state: Pick<StateStore, "checkpointTimes" | "lastSuccesses" | "rateLimits" | "runs">;
  /** Undefined if nothing is pushed to the project. */
  readonly inbox: Pick<Inbox, "backlogs"> | undefined;
  readonly stagingFolder: string;
};

function secondsOf(iso: string): number {
  return Date.parse(iso) / 1_000;
}

function countBySync(runs: readonly { readonly sync: string }[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { sync } of runs) counts.set(sync, (counts.get(sync) ?? 0) + 1);
  return counts;
}

/** Bytes of the files below a folder; a file that disappears meanwhile counts as empty. */
async function bytesBelow(folder: string): Promise<number> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = found.map(async (entry) => {
    if (!entry.isFile()) return 0;
    const { size } = await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }));
    return size;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function currentLimits({ config, state }: FigureSources): Promise<RateLimit[]> {
  const ours = `api:${keyName(await currentKey(config.api))}`;
  const limits = await state.rateLimits(systemClock()());
  return limits.filter(({ limit }) => limit.startsWith(ours) || limit.startsWith("put:"));
}

/** Reads the figures of a project. @throws {StateUnavailableError} its store or its inbox cannot be read. */
async function readFigures(from: FigureSources): Promise<ProjectFigures> {
  const { config, state, inbox, stagingFolder } = from;
  const target = targetOf(config.api);
  const syncs = [...config.syncs.keys(), ...config.pulls.keys()];
  const [successes, checkpoints, runs, limits, backlogs, stagedBytes] = await Promise.all([
    state.lastSuccesses({ target, syncs }),
    state.checkpointTimes({ target }),
    state.runs({ isOpen: true, limit: openRunsMax }),
    currentLimits(from),
    inbox?.backlogs() ?? [],
    bytesBelow(stagingFolder),
  ]);
  const known = new Set(syncs);
  // A held run waits for a person, even if the configuration no longer has its sync.
  const open = runs.filter(
    (run) => openHold(run) !== undefined || (run.target === target && known.has(run.sync)),
  );
  return {
    lastSuccess: new Map(successes.map(({ sync, endedAt }) => [sync, secondsOf(endedAt)])),
    checkpoint: new Map(
      checkpoints
        .filter(({ sync }) => known.has(sync))
        .map(({ sync, updatedAt }) => [sync, secondsOf(updatedAt)]),
    ),
    open: countBySync(open),
    held: countBySync(open.filter((run) => openHold(run) !== undefined)),
    limits,
    backlogs: backlogs
      .filter(({ connection }) => config.connections.has(connection))
      .map(({ connection, waiting, oldestMs }) => ({
        connection,
        waiting,
        oldestMs: Math.max(0, oldestMs ?? 0),
      })),
    stagedBytes,
  };
}

/** How to read the figures of a project when its metrics are scraped. */
export function createProjectLook(from: FigureSources): LookAtProject {
  const { syncs, pulls } = from.config;
  return {
    names: { sync: [...syncs.keys()], pull: [...pulls.keys()] },
    scheduled: [...syncs.values(), ...pulls.values()]
      .filter(({ schedule }) => schedule !== undefined)
      .map(({ name }) => name),
    look: async () => await readFigures(from),
  };
}

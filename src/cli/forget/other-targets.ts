import { join } from "node:path";

import type { Source } from "../../../connectors/contract/connector.ts";
import { systemClock } from "../../clock.ts";
import { targetOf, type Config, type SyncConfig } from "../../config/config.ts";
import { BusyError } from "../../errors.ts";
import type { Erased } from "../../state/contract/keys/forgetting.ts";
import { positionMentions } from "../../state/rules/keys/mentions.ts";
import type { StateStore } from "../../state/state-store.ts";
import { assertIdle } from "../status/idle.ts";
import { eraseStaged } from "./staged-files.ts";

/** What was erased of a key, and what is left of it, at the targets beside the configured one. */
type Elsewhere = {
  readonly erased: Erased;
  /** Staged files that held a line of the key. */
  readonly staged: number;
  readonly unreached: readonly string[];
};

const nothing: Erased = {
  fingerprints: 0,
  rejects: 0,
  notes: 0,
  keyLists: 0,
  samples: 0,
  results: 0,
  positions: 0,
};

/** Adds up what was erased in two places. */
export function sumOfErased(one: Erased, other: Erased): Erased {
  return {
    fingerprints: one.fingerprints + other.fingerprints,
    rejects: one.rejects + other.rejects,
    notes: one.notes + other.notes,
    keyLists: one.keyLists + other.keyLists,
    samples: one.samples + other.samples,
    results: one.results + other.results,
    positions: one.positions + other.positions,
  };
}

/** Whether a checkpoint is named by a key. */
export function isPlacedAt(
  source: Source,
  { position, key }: { readonly position: unknown; readonly key: string },
): boolean {
  // One in a file or the inbox says by numbers how far a run came; another is of what the sync has read before.
  const isOfLines = source.placesAreLines === true && source.position.safeParse(position).success;
  return !isOfLines && positionMentions(position, key);
}

/**
 * Erases a key of a sync from what is kept for other services and accounts: those that were configured before. One of
 * which a run is open keeps it, and is named.
 */
export async function eraseElsewhere(
  state: StateStore,
  of: {
    readonly config: Config;
    readonly sync: SyncConfig;
    readonly source: Source;
    readonly key: string;
  },
): Promise<Elsewhere> {
  const { config, source, key } = of;
  const sync = of.sync.name;
  const stagingFolder = join(config.stateFolder, "staging");
  let [erased, staged] = [nothing, 0];
  const unreached: string[] = [];
  for (const target of await state.targets()) {
    if (target === targetOf(config.api)) continue;
    const name = { target, sync };
    try {
      await assertIdle(state, config, name);
      erased = sumOfErased(erased, await state.eraseKey({ ...name, key, now: systemClock()() }));
      staged += await eraseStaged(state, { ...name, stagingFolder, key });
    } catch (error) {
      if (!(error instanceof BusyError)) throw error;
      const why = `what is kept for ${target}, as ${error.message}`;
      unreached.push(`${why}: run the command again when that is over`);
    }
    const { position } = await state.checkpoint(name);
    if (!isPlacedAt(source, { position, key })) continue;
    const reset = `sluice state reset ${sync} --target "${target}" --reason …`;
    unreached.push(`the checkpoint for ${target}, until \`${reset}\``);
  }
  return { erased, staged, unreached };
}

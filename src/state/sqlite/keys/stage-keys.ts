import { z } from "zod";

import { type FingerprintStore, type KeysToStage } from "../../contract/keys/fingerprints.ts";
import type { DrawnKeys, KeyFilter } from "../../rules/keys/drawn-keys.ts";
import { assertIdsLeft } from "../../rules/keys/ids-left.ts";
import {
  ageOfRow,
  type FoundKeys,
  type JudgedSet,
  judgeKeys,
  type KeysToPut,
} from "../../rules/keys/judge.ts";
import type { HashedKeys, KeyHashes } from "../../rules/keys/key-hashes.ts";
import { type StagedIndex, wordsOf } from "../../rules/keys/staged-index.ts";
import { inTransactions } from "../../rules/keys/steps.ts";
import { superseded } from "../../store/sends/named.ts";
import { textAt } from "../../text-block.ts";
import type { Database } from "../database.ts";
import { all } from "../database.ts";
import { createDoubtedKeys } from "../doubted-keys.ts";
import { isStagingIn } from "../open-stagings.ts";
import { createFingerprintSets } from "./fingerprint-sets.ts";
import { createLookUp } from "./look-up.ts";
import { createSendFacts } from "./send-facts.ts";
import type { Sightings } from "./sightings.ts";
import type { KeyMerging } from "./staged/merge-keys.ts";
import type { KeyWriter, StagedKeys } from "./staged/staged-keys.ts";

const mappingRow = z.object({ mapping: z.string() });

/** What a store judges keys with. */
export type KeyTools = {
  readonly sightings: Sightings;
  readonly hashesOf: KeyHashes;
  readonly stagedKeys: StagedKeys;
  readonly drawnKeys: DrawnKeys;
  readonly merging: KeyMerging;
};

/** A call, and the results for its rows. */
type Staging = {
  readonly input: KeysToStage;
  readonly hashed: HashedKeys;
  readonly verdicts: Uint8Array;
  /** The ids of the fingerprints of rows that leave, as `JudgedKeys` has them. */
  readonly ids: Int32Array;
};

/**
 * What undecided stagings, or abandoned ones that left, make of keys takes precedence over what is known: it is newer.
 */
function putStaged(
  found: FoundKeys,
  index: StagedIndex,
  { hashed, order }: { readonly hashed: HashedKeys; readonly order: readonly number[] },
): void {
  if (index.size === 0) return;
  const words = wordsOf(hashed);
  for (let place = 0; place < order.length; place += 1) {
    const entry = index.find(words, order[place] ?? 0);
    if (entry === -1) continue;
    found.ids[place] = -index.idAt(entry);
    found.sends[place] = index.sendAt(entry);
  }
}

/** Judges some keys of a call, each once; `against` is what keys of the run are compared with in addition. */
type JudgeSome = (
  staging: Pick<Staging, "hashed" | "input" | "verdicts">,
  order: readonly number[],
  against: Pick<JudgedSet, "isSeen" | "note"> & {
    readonly index: StagedIndex;
    readonly drawn?: KeyFilter | undefined;
    /** As in `KeysToLookUp`. */
    readonly mayWrite?: boolean;
  },
) => KeysToPut;

/** Makes the function that judges keys by what is known of their set. */
function createJudgeSome(db: Database, { sightings }: Pick<KeyTools, "sightings">): JudgeSome {
  const sets = createFingerprintSets(db);
  const lookUp = createLookUp(db);
  const factsOf = createSendFacts(db);
  const doubtedOf = createDoubtedKeys(db);
  const mappings = db.prepare("select mapping from mappings where set_id = $setId");
  return ({ input, hashed, verdicts }, order, { index, drawn, mayWrite = false, ...against }) => {
    const { hashes, keys } = input;
    const { id: setId = 0, validAfter = 0 } = sets.find(input) ?? {};
    const isInDoubt = doubtedOf(setId);
    const found = lookUp(
      { setId, hashed, hashes, order, drawn, mayWrite },
      { validAfter, committedAfter: input.committedAfter ?? 0 },
    );
    putStaged(found, index, { hashed, order });
    return judgeKeys(
      input,
      {
        validAfter,
        mappings: new Set(all(mappingRow, mappings, { setId }).map(({ mapping }) => mapping)),
        factsOf,
        ...against,
        isDoubted: isInDoubt && ((at) => isInDoubt(textAt(keys, at))),
        newestOf: (id) => sightings.newestOf(setId, id),
      },
      { ...found, order, verdicts },
    );
  };
}

/** Makes the function that judges one step of a call; to be called inside a transaction. */
function createStepping(
  db: Database,
  tools: KeyTools,
): (staging: Staging, order: readonly number[], writer: KeyWriter) => void {
  const sets = createFingerprintSets(db);
  const judgeSome = createJudgeSome(db, tools);
  return (staging, order, writer) => {
    const { input, ids } = staging;
    const { id: setId, nextId: firstId } = sets.have(input);
    const seeing = tools.sightings.begin({ setId, runId: input.runId });
    const drawn = tools.drawnKeys.of(setId, firstId);
    const put = judgeSome(staging, order, {
      ...seeing,
      index: writer.index,
      drawn,
      mayWrite: true,
    });
    assertIdsLeft(input, { nextId: firstId, added: put.added.size });
    const words = wordsOf(staging.hashed);
    let [nextId, isRoom] = [firstId, drawn !== undefined];
    for (const [index, times] of put.added) {
      isRoom &&= drawn?.add(words, index) === true;
      writer.put(index, nextId, times);
      ids[index] = -nextId;
      seeing.note(nextId++, ageOfRow(input, index));
    }
    for (const [index, { id, times, wasTaken }] of put.known) {
      writer.put(index, id, times);
      ids[index] = wasTaken ? id : -id;
    }
    if (nextId > firstId) sets.setNextId({ id: setId, nextId });
    if (isRoom) tools.drawnKeys.drew(setId, nextId);
    seeing.end();
  };
}

/** Makes `judgeKeys` of a SQLite store. */
export function createJudgeKeys(db: Database, tools: KeyTools): FingerprintStore["judgeKeys"] {
  const sets = createFingerprintSets(db);
  const judgeSome = createJudgeSome(db, tools);
  return (input) => {
    const verdicts = new Uint8Array(input.keys.ends.length);
    const setId = sets.idOf(input);
    if (setId === 0) return verdicts;
    const hashed = tools.hashesOf(setId, input.keys);
    const against = {
      isSeen: () => false,
      note: () => undefined,
      index: tools.stagedKeys.of(setId),
    };
    judgeSome({ input, hashed, verdicts }, [...verdicts.keys()], against);
    return verdicts;
  };
}

/** Makes `stageKeys` of a SQLite store. */
export function createStageKeys(db: Database, tools: KeyTools): FingerprintStore["stageKeys"] {
  const { sightings, hashesOf, stagedKeys, drawnKeys, merging } = tools;
  const sets = createFingerprintSets(db);
  const isStaging = isStagingIn(db);
  const step = createStepping(db, tools);
  return (input) => {
    const { keys } = input;
    const setId = sets.idOf(input) || db.write(() => sets.have(input).id);
    const hashed = hashesOf(setId, keys);
    const staging = {
      input,
      hashed,
      verdicts: new Uint8Array(keys.ends.length),
      ids: new Int32Array(keys.ends.length),
    };
    const judgeSome = (steps: ReturnType<typeof inTransactions>[number]): void => {
      if (!isStaging(input)) throw superseded(input);
      const writer = stagedKeys.begin(
        { setId, send: input.send },
        { hashed, hashes: input.hashes },
      );
      const firstId = sets.have(input).nextId;
      // Each step reads the ages of keys anew: the one before may have seen some of them.
      for (const order of steps) sightings.asking(() => step(staging, order, writer));
      writer.end({ firstId, drawn: sets.have(input).nextId - firstId });
    };
    merging.settle(setId);
    try {
      // Unsynced: before anything of the staging leaves, the staging is finished, which is synced.
      for (const steps of inTransactions(hashed)) db.writeUnsynced(() => judgeSome(steps));
    } catch (error) {
      sightings.readAnew();
      stagedKeys.readAnew();
      drawnKeys.forget();
      throw error;
    }
    return { verdicts: staging.verdicts, leaving: staging.ids.filter((id) => id !== 0) };
  };
}

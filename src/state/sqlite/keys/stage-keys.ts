import { type FingerprintStore, type KeysToStage } from "../../contract/keys/fingerprints.ts";
import { superseded } from "../../store/sends/stagings.ts";
import { textAt } from "../../text-block.ts";
import type { Database } from "../database.ts";
import { createDoubtedKeys } from "../doubted-keys.ts";
import { isStagingIn } from "../open-stagings.ts";
import { createFingerprintSets } from "./fingerprint-sets.ts";
import { ageOfRow, createJudge } from "./judge.ts";
import type { HashedKeys, KeyHashes } from "./key-hashes.ts";
import { createLookUp } from "./look-up.ts";
import { createPutKeys } from "./put-keys.ts";
import type { Sightings } from "./sightings.ts";
import { inTransactions } from "./steps.ts";

/** What a store judges keys with. */
export type KeyTools = { readonly sightings: Sightings; readonly hashesOf: KeyHashes };

/** A call, and what becomes of its rows. */
type Staging = {
  readonly input: KeysToStage;
  readonly hashed: HashedKeys;
  readonly verdicts: Uint8Array;
  /** Of rows that leave the ids of their fingerprints, as `JudgedKeys` has them. */
  readonly ids: Int32Array;
};

/** Makes what judges one step of a call; to be called inside a transaction. */
function createStepping(
  db: Database,
  { sightings }: KeyTools,
): (staging: Staging, order: readonly number[]) => void {
  const sets = createFingerprintSets(db);
  const lookUp = createLookUp(db);
  const judge = createJudge(db);
  const putKeys = createPutKeys(db);
  const doubtedOf = createDoubtedKeys(db);
  return ({ input, hashed, verdicts, ids }, order) => {
    const { runId, send, hashes, keys } = input;
    const set = sets.have(input);
    const { id: setId, nextId, validAfter } = set;
    const isInDoubt = doubtedOf(setId);
    const found = lookUp(
      { setId, hashed, hashes, order },
      {
        validAfter,
        committedAfter: input.committedAfter ?? 0,
        // Of these a known record may leave all the same.
        asksSends: input.full || input.begunAt !== undefined || isInDoubt !== undefined,
      },
    );
    const seeing = sightings.begin({ setId, runId });
    const put = judge(
      input,
      {
        ...set,
        ...seeing,
        isDoubted: isInDoubt && ((index) => isInDoubt(textAt(keys, index))),
        newestOf: (id) => sightings.newestOf(setId, id),
      },
      { ...found, order, verdicts },
    );
    const { drawn } = putKeys({ setId, hashed, hashes }, put, { send, firstId: nextId });
    for (const [index, id] of drawn) {
      seeing.note(id, ageOfRow(input, index));
      ids[index] = -id;
    }
    for (const [index, id] of put.before) ids[index] = id;
    if (drawn.size > 0) sets.setNextId({ id: setId, nextId: nextId + drawn.size });
    seeing.end();
  };
}

/** Makes `stageKeys` of a SQLite store. */
export function createStageKeys(db: Database, tools: KeyTools): FingerprintStore["stageKeys"] {
  const { sightings, hashesOf } = tools;
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
      // Each asks anew how old keys are: the one before may have seen some of them.
      for (const order of steps) sightings.asking(() => step(staging, order));
    };
    try {
      for (const steps of inTransactions(hashed)) db.write(() => judgeSome(steps));
    } catch (error) {
      sightings.readAnew();
      throw error;
    }
    return { verdicts: staging.verdicts, leaving: staging.ids.filter((id) => id !== 0) };
  };
}
